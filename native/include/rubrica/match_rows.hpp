// Where each word stands in the reference, as rows of bits, for the bit-parallel algorithms.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace rubrica {

using WordIds = std::span<const std::uint32_t>;

// Words are numbered 1..distinct within the reference; 0 is a word that is not in it and has an
// empty row. A row is dense (one 64-bit block after another) or a list of its non-zero blocks:
// short texts are dense throughout, long ones only for their frequent words, so memory stays
// linear in the length of the text.
class MatchRows {
public:
    struct Entry {
        std::uint32_t block;
        std::uint64_t bits;
    };

    void build(WordIds reference, std::size_t distinct);

    std::size_t blocks() const { return blocks_; }
    std::size_t length() const { return length_; }
    // All rows are dense, one after another, if the text has at most this many blocks.
    static constexpr std::size_t dense_blocks = 16;
    bool all_dense() const { return blocks_ <= dense_blocks; }
    const std::uint64_t* dense(std::uint32_t word) const { return dense_.data() + word * blocks_; }

    // For longer texts: a dense row, or null and then the entries.
    const std::uint64_t* dense_or_null(std::uint32_t word) const {
        const std::uint32_t at = dense_at_[word];
        return at == none ? nullptr : dense_.data() + std::size_t{at} * blocks_;
    }
    std::span<const Entry> entries(std::uint32_t word) const {
        return {entries_.data() + first_[word], entries_.data() + first_[word + 1]};
    }

    // One block of any row.
    std::uint64_t block(std::uint32_t word, std::size_t index) const;

private:
    static constexpr std::uint32_t none = UINT32_MAX;
    void build_long(WordIds reference, std::size_t distinct);

    std::size_t blocks_ = 0, length_ = 0;
    std::vector<std::uint64_t> dense_;
    std::vector<std::uint32_t> dense_at_, first_;
    std::vector<Entry> entries_;
};

}  // namespace rubrica
