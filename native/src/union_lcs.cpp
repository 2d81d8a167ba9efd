#include <algorithm>
#include <bit>

#include "rubrica/bits.hpp"
#include "rubrica/lcs.hpp"

namespace rubrica {

void UnionLcs::set_reference(WordIds reference, WordIds unit_ends, std::size_t distinct) {
    reference_ = reference;
    distinct_ = distinct;
    layout_.clear();
    used_.clear();
    last_.clear();
    groups_.clear();
    rows_.clear();
    words_.clear();
    long_units_.clear();

    std::size_t taken = 64;  // bits of the last block that are in use; 64 asks for a new one
    std::size_t first = 0;   // first block that is in no group yet
    const auto close_groups = [&] {
        for (; first < used_.size(); first += group_blocks) {
            const std::size_t blocks = std::min(group_blocks, used_.size() - first);
            groups_.push_back({first, blocks, std::bit_ceil(blocks), 0, 0, 0});
        }
        first = used_.size();
    };
    const auto add_blocks = [&](std::size_t count) {
        used_.resize(used_.size() + count, 0);
        layout_.resize(used_.size() * 64, 0);
        last_.resize(used_.size(), 0);
    };
    std::uint32_t begin = 0;
    for (const std::uint32_t end : unit_ends) {
        const std::size_t length = end - begin;
        if (length > 64) {
            close_groups();
            const std::size_t block = used_.size();
            long_units_.push_back({block, begin, end});
            add_blocks((length + 63) / 64);
            std::copy_n(reference.data() + begin, length, layout_.data() + block * 64);
            first = used_.size();
            taken = 64;
        } else if (length > 0) {
            if (taken + length > 64) {
                add_blocks(1);
                taken = 0;
            }
            const std::size_t block = used_.size() - 1;
            std::copy_n(reference.data() + begin, length, layout_.data() + block * 64 + taken);
            used_[block] |= low_bits(length) << taken;
            last_[block] |= std::uint64_t{1} << (64 - taken - length);
            taken = std::min<std::size_t>(64, taken + length + 1);
        }
        begin = end;
    }
    close_groups();
    if (row_of_.size() <= distinct) row_of_.resize(distinct + 1, 0);
    for (Group& group : groups_) add_rows(group);
}

void UnionLcs::add_rows(Group& group) {
    group.rows = rows_.size();
    group.words = words_.size();
    const std::size_t stride = 2 * group.stride, end = (group.first_block + group.blocks) * 64;
    // The only group of a reference takes the reference's own numbers for its rows; others number
    // their words anew. Whether a word is new is unpredictable, so no branch asks: it is always
    // written down, and stays if it was new.
    const bool own_numbers = one_group();
    const std::size_t most = own_numbers ? distinct_ : std::min(distinct_, group.blocks * 64);
    rows_.resize(rows_.size() + (most + 1) * stride, 0);
    words_.resize(words_.size() + most + 1);
    std::uint32_t* words = words_.data() + group.words;
    std::uint32_t count = 0;
    row_of_[0] = UINT32_MAX;  // bits without a word: never new, and skipped below
    for (std::size_t at = group.first_block * 64; at < end; ++at) {
        const std::uint32_t word = layout_[at];
        std::uint32_t row = word;
        if (!own_numbers) {
            std::uint32_t& known = row_of_[word];
            words[count] = word;
            count += known == 0;
            known = known == 0 ? count : known;
            row = known;
        }
        if (word == 0) continue;
        std::uint64_t* bits =
            rows_.data() + group.rows + row * stride + at / 64 - group.first_block;
        bits[0] |= std::uint64_t{1} << (at % 64);
        bits[group.stride] |= std::uint64_t{1} << (63 - at % 64);
    }
    row_of_[0] = 0;
    rows_.resize(group.rows + ((own_numbers ? distinct_ : count) + 1) * stride);
    words_.resize(group.words + count);
    group.words_end = words_.size();
    for (std::size_t i = group.words; i < group.words_end; ++i) row_of_[words_[i]] = 0;
}

namespace {

// Copies a summary, its words as `number` has them, without those that cannot change which words
// are marked. A column without a match (0) equals the column before it; in the trace back it takes
// the path up to the next rise, and a second such column finds the path there already. At the
// start of a unit it only ends the path. Units that keep nothing are left out.
template <class Number>
void drop_idle(WordIds words, WordIds ends, Number number, std::vector<std::uint32_t>& kept,
               std::vector<std::uint32_t>& kept_ends) {
    kept.resize(words.size() + 1);
    kept_ends.clear();
    std::size_t i = 0;
    std::uint32_t count = 0, begin = 0;
    for (const std::uint32_t end : ends) {
        std::uint32_t last = 0;
        for (; i < end; ++i) {
            const std::uint32_t word = number(words[i]);
            kept[count] = word;
            count += (word | last) != 0;
            last = word;
        }
        if (count != begin) kept_ends.push_back(count);
        begin = count;
    }
    kept.resize(count);
}

}  // namespace

void UnionLcs::mark(WordIds summary, WordIds unit_ends) {
    marks_.assign(used_.size(), 0);
    drop_idle(summary, unit_ends, [](std::uint32_t word) { return word; }, kept_, kept_ends_);
    for (const Group& group : groups_) mark_group(group);
    for (const LongUnit& unit : long_units_) mark_long(unit);
}

void UnionLcs::mark_group(const Group& group) {
    const std::vector<std::uint32_t>*columns = &kept_, *ends = &kept_ends_;
    if (!one_group()) {
        for (std::size_t i = group.words; i < group.words_end; ++i) {
            row_of_[words_[i]] = static_cast<std::uint32_t>(i - group.words + 1);
        }
        drop_idle(
            kept_, kept_ends_, [this](std::uint32_t word) { return row_of_[word]; }, columns_,
            column_ends_);
        for (std::size_t i = group.words; i < group.words_end; ++i) row_of_[words_[i]] = 0;
        columns = &columns_;
        ends = &column_ends_;
    }
    const UnionBlocks blocks{group.blocks,
                             group.stride,
                             rows_.data() + group.rows,
                             used_.data() + group.first_block,
                             last_.data() + group.first_block,
                             marks_.data() + group.first_block};
    mark_union_blocks(blocks, *columns, *ends, table_);
}

void UnionLcs::mark_long(const LongUnit& unit) {
    const WordIds words = reference_.subspan(unit.begin, unit.end - unit.begin);
    long_rows_.build(words, distinct_);
    for (std::uint32_t i = unit.begin; i < unit.end; ++i) row_of_[reference_[i]] = 1;
    const auto here = [this](std::uint32_t word) { return row_of_[word] != 0 ? word : 0; };
    drop_idle(kept_, kept_ends_, here, columns_, column_ends_);
    for (std::uint32_t w = unit.begin; w < unit.end; ++w) row_of_[reference_[w]] = 0;

    std::uint64_t* marks = marks_.data() + unit.first_block;
    std::uint32_t begin = 0;
    for (const std::uint32_t end : column_ends_) {
        mark_lcs(long_rows_, words, WordIds(columns_).subspan(begin, end - begin), marks, table_,
                 checkpoints_);
        begin = end;
    }
}

}  // namespace rubrica
