// Longest common subsequences by bits (Allison and Dix 1986; Crochemore et al. 2001; Hyyro 2004).
//
// Rows are reference words, columns summary words. Bit i of a column is 0 where the table rises,
// that is where L[i][j] = L[i-1][j] + 1. One addition per 64 rows makes a column from the one
// before: with m the rows that match the summary word, x becomes (x + (x & m)) | (x & ~m), where
// the carry moves each rise to the lowest match of its run.
//
// Of several longest subsequences ROUGE takes that of one trace back from the last cell: equal
// words go diagonally; else up if the cell above is at least the one to the left, else left. The
// columns hold all of that: where words differ, a 1 says up and a 0 says left.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "rubrica/match_rows.hpp"

namespace rubrica {

// Length of the longest common subsequence of the reference in `rows` and a summary, whose words
// are numbered as in the reference. `column` is scratch.
std::size_t lcs_length(const MatchRows& rows, WordIds summary, std::vector<std::uint64_t>& column);

// One column from the one before, in place, for a row of either kind.
void lcs_advance_dense(const std::uint64_t* row, std::size_t blocks, std::uint64_t* column);
void lcs_advance_sparse(std::span<const MatchRows::Entry> row, std::size_t blocks,
                        std::uint64_t* column);

// Sets the bits of the reference words on ROUGE's subsequence with the summary. Memory is one bit
// per cell up to `most` 64-bit blocks (8 MB); beyond that only every k-th column is kept and the
// others are made again: the forward pass costs twice, and memory is that of the square root of
// the number of columns.
void mark_lcs(const MatchRows& rows, WordIds reference, WordIds summary, std::uint64_t* marks,
              std::vector<std::uint64_t>& table, std::vector<std::uint64_t>& checkpoints,
              std::size_t most = std::size_t{1} << 20);

// Several short reference units at once. Each 64-bit block holds units of up to 64 words together,
// an unused bit between neighbours so that no carry passes from one to the next.
struct UnionBlocks {
    std::size_t blocks, stride;  // 1 to 8, and the power of 2 that this is rounded up to
    const std::uint64_t* rows;   // per word: `stride` blocks of its bits, then the same reversed
    const std::uint64_t* used;   // bits that hold a word
    const std::uint64_t* last;   // the last word of each unit, bits reversed
    std::uint64_t* marks;        // set for the words on a subsequence with any unit of the summary
};
// `columns` are row numbers, 0 for none; `ends` are the ends of the summary's units among them.
void mark_union_blocks(const UnionBlocks& blocks, WordIds columns, WordIds ends,
                       std::vector<std::uint64_t>& table);

// Union LCS: which reference words lie on the subsequence of their unit with any summary unit.
class UnionLcs {
public:
    // Units given by their ends in `reference`; words numbered 1..distinct.
    void set_reference(WordIds reference, WordIds unit_ends, std::size_t distinct);

    // Calls see(word) for every marked word, in the order of the reference.
    template <class See>
    void for_marked(WordIds summary, WordIds unit_ends, See see) {
        mark(summary, unit_ends);
        for (std::size_t b = 0; b < marks_.size(); ++b) {
            for (std::uint64_t left = marks_[b]; left != 0; left &= left - 1) {
                see(layout_[b * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
            }
        }
    }

private:
    // Blocks of short units that are worked on together, small enough to stay in registers.
    static constexpr std::size_t group_blocks = 8;
    struct Group {
        std::size_t first_block, blocks, stride;
        std::size_t rows;              // where its rows begin in rows_
        std::size_t words, words_end;  // which words they belong to, in words_
    };
    // A unit of more than 64 words has blocks of its own, with carries between them.
    struct LongUnit {
        std::size_t first_block;
        std::uint32_t begin, end;
    };

    bool one_group() const { return groups_.size() == 1 && long_units_.empty(); }
    void add_rows(Group& group);
    void mark(WordIds summary, WordIds unit_ends);
    void mark_group(const Group& group);
    void mark_long(const LongUnit& unit);

    WordIds reference_;
    std::size_t distinct_ = 0;
    std::vector<std::uint32_t> layout_;  // the word at each bit, 0 where unused
    std::vector<std::uint64_t> used_, last_, marks_;
    std::vector<Group> groups_;
    std::vector<std::uint64_t> rows_;
    std::vector<std::uint32_t> words_;
    std::vector<LongUnit> long_units_;
    std::vector<std::uint32_t> row_of_;  // by word; all 0 between uses
    std::vector<std::uint32_t> kept_, kept_ends_, columns_, column_ends_;
    std::vector<std::uint64_t> table_, checkpoints_;
    MatchRows long_rows_;
};

}  // namespace rubrica
