// Rank correlations of two metrics that exchange scores, sixteen rounds side by side. The values of
// both are sorted once; a round walks through them in ascending order and passes over those that the
// exchange gave to the other side: no sorting, no comparing, and every round takes the same steps.
//
// A value is on exactly one of the two sides. So what one side lacks the other has, and the second
// side's sum is the first one's, plus a constant, plus a sum over the exchanged cells: one walk
// serves both.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rubrica::permuted {

inline constexpr std::size_t width = 16;  // rounds side by side
inline constexpr std::size_t most_kinds = 64;      // of human scores
inline constexpr std::size_t most_points = 4'000;  // 256 prefix sums of centred ranks stay below 2^31;
                                                   // four times as many counts below 2^15, twice

using Long = std::array<std::int64_t, width>;

// What the human scores alone decide of a column: an input, or all cells.
struct Human {
    std::vector<std::uint32_t> cells;        // in ascending order of the human scores
    std::vector<std::int32_t> codes, ranks;  // of the cells; ranks are smaller less greater points
    std::size_t kinds = 0;
    double points = 0, untied = 0, squares = 0;
};
Human human_column(const double* z, std::vector<std::uint32_t> cells);

struct Value {
    std::uint32_t cell;
    std::int32_t z;     // code, or for Spearman the centred rank, of the human score
    std::int32_t of_y;  // 0 or -1
    std::int32_t last;  // of those that are equal
};

// Two metrics in a column. Where nothing is exchanged the second side's sum exceeds the first one's
// by `base`; each exchanged cell, in the order of human.cells, adds to that high * 2^16 + low.
struct PairColumn {
    std::vector<Value> values;  // ascending
    std::vector<std::int32_t> low, high;  // high is empty where low alone holds it
    std::int64_t base = 0;
    bool tied = false;  // some values are equal
};
PairColumn pair_column(const Human& human, const double* x, const double* y, bool ranks);

// Of sixteen rounds.
struct Sums {
    Long above{};  // tau: concordant less discordant pairs; Spearman: product of centred ranks
    Long tied{};   // tau: ordered pairs tied in x; Spearman: sum of t^3 - t over ties
};

#if defined(__GNUC__)
typedef std::int16_t Half __attribute__((vector_size(32)));
typedef std::int16_t Quarter __attribute__((vector_size(16)));
// Sixteen numbers of 16 bits, in a struct since a template would forget their alignment.
struct alignas(32) Narrow {
    union {
        Half all;
        Quarter part[2];
        std::int16_t at[width];
    };
};

// Scratch memory for counts of the points so far, by human score.
class Counts {
public:
    Counts();
    // -1 where a block (a place in a block) lies behind another.
    Narrow behind[most_kinds / 4][most_kinds / 4], inside[4][4];
    Narrow equal[most_kinds];       // points with a human score
    Narrow low[most_kinds];         // with a lower one in the same block of four
    Narrow high[most_kinds / 4];    // in lower blocks
};

// Masks are -1 where the cell was exchanged.
void sum_pairs(const Human& human, const PairColumn& pair, const Narrow* masks, Counts& counts,
                Sums& left, Sums& right);
void sum_ranks(const Human& human, const PairColumn& pair, const Narrow* masks, Sums& left,
                Sums& right);
#endif

}  // namespace rubrica::permuted
