// Weighted longest common subsequence (ROUGE-W): runs of consecutive matches count more.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "rubrica/match_rows.hpp"

namespace rubrica {

// Time is one step per cell of the table, reference times summary: this recurrence on real numbers
// has no known bit-parallel form. Memory is one bit per cell up to `most` 64-bit blocks (32 MB);
// beyond that rows are made twice, from checkpoints: 100,000 by 100,000 words take under 100 MB
// and about half a minute.
class WeightedLcs {
public:
    // Sets marks[i] for the reference words on ROUGE's subsequence with `summary`. Words of the
    // summary that are not in the reference are 0. power[k] = k^weight, up to the shorter length.
    void mark(WordIds reference, WordIds summary, const std::vector<double>& power,
              std::uint8_t* marks, std::size_t most = std::size_t{1} << 22);

    // The same subsequence as places (in the reference, in the summary), the last first.
    std::vector<std::pair<std::size_t, std::size_t>> path(
        WordIds reference, WordIds summary, const std::vector<double>& power,
        std::size_t most = std::size_t{1} << 22);

private:
    struct Row {
        std::vector<double> score;
        std::vector<std::uint32_t> run;  // consecutive matches that end in this cell
    };
    // Calls see(i, j) for every pair on the subsequence, the last first.
    template <class See>
    void trace(WordIds reference, WordIds summary, const std::vector<double>& power,
               std::size_t most, See see);
    void advance(std::uint32_t word, WordIds summary, const std::vector<double>& power,
                 std::uint64_t* left);

    Row row_;
    std::vector<Row> checkpoints_;
    std::vector<std::uint64_t> left_;  // per cell: the path goes left rather than up
};

}  // namespace rubrica
