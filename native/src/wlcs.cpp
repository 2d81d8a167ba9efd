#include "rubrica/wlcs.hpp"

#include <algorithm>

namespace rubrica {

// From the row before to the row of `word`, in place; cell j + 1 belongs to summary[j].
void WeightedLcs::advance(std::uint32_t word, WordIds summary, const std::vector<double>& power,
                          std::uint64_t* left) {
    double* score = row_.score.data();
    std::uint32_t* run = row_.run.data();
    double diagonal = 0.0, before = 0.0;
    std::uint32_t diagonal_run = 0;
    std::uint64_t bits = 0;
    for (std::size_t j = 0; j < summary.size(); ++j) {
        const double above = score[j + 1];
        const std::uint32_t above_run = run[j + 1];
        if (summary[j] == word) {
            // Added and subtracted in this order: another one changes the last bit, and that
            // decides ties.
            before = (diagonal + power[diagonal_run + 1]) - power[diagonal_run];
            run[j + 1] = diagonal_run + 1;
        } else {
            const bool go_left = above < before;
            before = go_left ? before : above;
            bits |= std::uint64_t{go_left} << (j % 64);
            run[j + 1] = 0;
        }
        score[j + 1] = before;
        diagonal = above;
        diagonal_run = above_run;
        if (j % 64 == 63) {
            left[j / 64] = bits;
            bits = 0;
        }
    }
    if (summary.size() % 64 != 0) left[summary.size() / 64] = bits;
}

template <class See>
void WeightedLcs::trace(WordIds reference, WordIds summary, const std::vector<double>& power,
                        std::size_t most, See see) {
    const auto unknown = [](std::uint32_t word) { return word == 0; };
    if (reference.empty() || std::ranges::all_of(summary, unknown)) return;
    const std::size_t rows = reference.size(), width = (summary.size() + 63) / 64;
    const std::size_t step = rows * width <= most ? rows : std::max<std::size_t>(1, most / width);
    left_.resize(std::max(left_.size(), step * width));
    row_.score.assign(summary.size() + 1, 0.0);
    row_.run.assign(summary.size() + 1, 0);

    // The row before each stretch of `step` rows.
    checkpoints_.assign(1, row_);
    const std::size_t last_begin = (rows - 1) / step * step;
    for (std::size_t i = 0; i < last_begin; ++i) {
        advance(reference[i], summary, power, left_.data());
        if ((i + 1) % step == 0) checkpoints_.push_back(row_);
    }
    std::size_t j = summary.size();
    for (std::size_t begin = last_begin;; begin -= step) {
        const std::size_t end = std::min(rows, begin + step);
        row_ = checkpoints_[begin / step];
        for (std::size_t i = begin; i < end; ++i) {
            advance(reference[i], summary, power, left_.data() + (i - begin) * width);
        }
        for (std::size_t i = end; i-- > begin && j != 0;) {
            // Left through this row until it leaves upwards.
            const std::uint64_t* left = left_.data() + (i - begin) * width;
            while (j != 0 && (left[(j - 1) / 64] >> ((j - 1) % 64) & 1) != 0) --j;
            if (j != 0 && summary[j - 1] == reference[i]) {
                --j;
                see(i, j);
            }
        }
        if (begin == 0 || j == 0) return;
    }
}

void WeightedLcs::mark(WordIds reference, WordIds summary, const std::vector<double>& power,
                       std::uint8_t* marks, std::size_t most) {
    trace(reference, summary, power, most, [=](std::size_t i, std::size_t) { marks[i] = 1; });
}

std::vector<std::pair<std::size_t, std::size_t>> WeightedLcs::path(
    WordIds reference, WordIds summary, const std::vector<double>& power, std::size_t most) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    trace(reference, summary, power, most,
          [&](std::size_t i, std::size_t j) { found.emplace_back(i, j); });
    return found;
}

}  // namespace rubrica
