#include "rubrica/match_rows.hpp"

#include <algorithm>

namespace rubrica {

void MatchRows::build(WordIds reference, std::size_t distinct) {
    length_ = reference.size();
    blocks_ = std::max<std::size_t>(1, (length_ + 63) / 64);
    if (blocks_ > 2) blocks_ = (blocks_ + 3) / 4 * 4;  // whole vectors; no word stands in the rest
    if (!all_dense()) {
        build_long(reference, distinct);
        return;
    }
    dense_.assign((distinct + 1) * blocks_, 0);
    for (std::size_t i = 0; i < length_; ++i) {
        dense_[reference[i] * blocks_ + i / 64] |= std::uint64_t{1} << (i % 64);
    }
}

std::uint64_t MatchRows::block(std::uint32_t word, std::size_t index) const {
    if (all_dense()) return dense(word)[index];
    if (const std::uint64_t* row = dense_or_null(word)) return row[index];
    const auto list = entries(word);
    const auto found = std::ranges::lower_bound(list, index, {}, &Entry::block);
    return found != list.end() && found->block == index ? found->bits : 0;
}

void MatchRows::build_long(WordIds reference, std::size_t distinct) {
    // First the number of blocks each word touches, then its entries in order of position.
    std::vector<std::uint32_t> seen(distinct + 1, none);
    first_.assign(distinct + 2, 0);
    for (std::size_t i = 0; i < length_; ++i) {
        const auto block = static_cast<std::uint32_t>(i / 64);
        const std::uint32_t word = reference[i];
        first_[word + 1] += seen[word] != block;
        seen[word] = block;
    }
    for (std::size_t w = 0; w <= distinct; ++w) first_[w + 1] += first_[w];
    entries_.assign(first_.back(), Entry{none, 0});
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < length_; ++i) {
        const auto block = static_cast<std::uint32_t>(i / 64);
        const std::uint32_t word = reference[i];
        if (next[word] == first_[word] || entries_[next[word] - 1].block != block) {
            entries_[next[word]++] = {block, 0};
        }
        entries_[next[word] - 1].bits |= std::uint64_t{1} << (i % 64);
    }
    // A word in a twelfth of all blocks is cheaper as a dense row; at most 768 words are.
    dense_at_.assign(distinct + 1, none);
    dense_.clear();
    std::uint32_t rows = 0;
    for (std::uint32_t w = 1; w <= distinct; ++w) {
        const auto list = entries(w);
        if (list.size() * 12 < blocks_) continue;
        dense_at_[w] = rows++;
        dense_.resize(rows * blocks_, 0);
        for (const Entry& entry : list) dense_[(rows - 1) * blocks_ + entry.block] = entry.bits;
    }
}

}  // namespace rubrica
