#include <array>

#include "rubrica/correlate.hpp"
#include "rubrica/permutations.hpp"
#include "rubrica/parallel.hpp"
#include "rubrica/score_pair.hpp"
#include "rubrica/lanes.hpp"

namespace rubrica {
namespace {

// Both sides after the exchange; the masks hold 0 or 1.
#define RUBRICA_EXCHANGE(Value)                                                              \
    RUBRICA_CLONES void exchange(const Value* x, const Value* y, const std::uint8_t* swap,     \
                               std::size_t count, Value* left, Value* right) {               \
        for (std::size_t i = 0; i < count; ++i) {                                            \
            left[i] = swap[i] != 0 ? y[i] : x[i];                                            \
            right[i] = swap[i] != 0 ? x[i] : y[i];                                           \
        }                                                                                    \
    }

RUBRICA_EXCHANGE(double)
RUBRICA_EXCHANGE(std::int16_t)
RUBRICA_EXCHANGE(std::int32_t)
#undef RUBRICA_EXCHANGE

// One thread's exchanges between two metrics, at the summary or the global level.
class Exchanger {
public:
    Exchanger(const ScorePair& scores, bool zero) : m_(scores), zero_(zero) {
        for (std::size_t i = 0; i < m_.systems; ++i) rows_.push_back({i, 1});
        r_.resize(m_.inputs);
        points_.resize(m_.inputs);
        weights_.assign(m_.cells.size(), 1);
    }

    void round(const std::uint8_t* swaps, double* out) {
        m_.level == Level::summary ? summary(swaps, out) : global(swaps, out);
    }

private:
    template <class Value>
    std::array<const Value*, 2> mixed(const std::vector<Value>& x, const std::vector<Value>& y,
                                      const std::uint8_t* swaps, std::vector<Value>& room) {
        room.resize(2 * x.size());
        exchange(x.data(), y.data(), swaps, x.size(), room.data(), room.data() + x.size());
        return {room.data(), room.data() + x.size()};
    }

    // Rows of codes are padded, rows of exchanges are not.
    template <class Code>
    std::array<const Code*, 2> mixed_codes(const std::vector<Code>& x, const std::vector<Code>& y,
                                           const std::uint8_t* swaps, std::vector<Code>& room) {
        const std::size_t stride = code_stride(m_.inputs);
        room.resize(2 * x.size());
        for (std::size_t at = 0; at < x.size(); at += stride, swaps += m_.inputs) {
            exchange(x.data() + at, y.data() + at, swaps, m_.inputs, room.data() + at,
                     room.data() + x.size() + at);
        }
        return {room.data(), room.data() + x.size()};
    }

    void summary(const std::uint8_t* swaps, double* out) {
        const auto done = [&](std::size_t side) {
            out[side] = mean_over_inputs(r_.data(), points_.data(), nullptr, m_.inputs, zero_);
        };
        if (m_.coefficient == Coefficient::pearson) {
            const auto sides = mixed(m_.x, m_.y, swaps, values_);
            for (std::size_t side = 0; side < 2; ++side) {
                columns_.pearson({sides[side], m_.z.data(), m_.present.data(), m_.inputs}, rows_,
                                 r_.data(), points_.data());
                done(side);
            }
        } else if (m_.narrow) {
            const auto sides = mixed_codes(m_.x16, m_.y16, swaps, codes16_);
            const std::int16_t* present = m_.whole ? nullptr : m_.present16.data();
            for (std::size_t side = 0; side < 2; ++side) {
                columns_.rank(
                    CodeColumns<std::int16_t>{sides[side], m_.z16.data(), present, m_.inputs}, rows_,
                    m_.coefficient, r_.data(), points_.data(), seen_);
                seen_ = true;
                done(side);
            }
        } else {
            const auto sides = mixed_codes(m_.x32, m_.y32, swaps, codes32_);
            const std::int32_t* present = m_.whole ? nullptr : m_.present32.data();
            for (std::size_t side = 0; side < 2; ++side) {
                columns_.rank(
                    CodeColumns<std::int32_t>{sides[side], m_.z32.data(), present, m_.inputs}, rows_,
                    m_.coefficient, r_.data(), points_.data(), seen_);
                seen_ = true;
                done(side);
            }
        }
    }

    void global(const std::uint8_t* swaps, double* out) {
        cell_swaps_.resize(m_.cells.size());
        for (std::size_t i = 0; i < m_.cells.size(); ++i) cell_swaps_[i] = swaps[m_.cells[i]];
        if (m_.coefficient == Coefficient::pearson) {
            const auto sides = mixed(m_.cell_x, m_.cell_y, cell_swaps_.data(), values_);
            for (std::size_t side = 0; side < 2; ++side) {
                out[side] = column_.pearson({sides[side], m_.cells.size()}, m_.cell_z, weights_);
            }
            return;
        }
        const auto sides = mixed(m_.code_x, m_.code_y, cell_swaps_.data(), codes32_);
        for (std::size_t side = 0; side < 2; ++side) {
            out[side] = column_.rank({sides[side], m_.cells.size()}, m_.kinds_x, m_.code_z,
                                     m_.kinds_z, weights_, m_.coefficient);
        }
    }

    const ScorePair& m_;
    bool zero_;
    bool seen_ = false;  // the first round is done; the human scores stay the same
    Columns columns_;
    LongColumn column_;
    std::vector<Row> rows_;
    std::vector<std::int16_t> codes16_;
    std::vector<std::int32_t> codes32_, weights_;
    std::vector<std::uint8_t> cell_swaps_;
    std::vector<double> values_, r_, points_;
};

}  // namespace

void swapped_correlations(const Scores& scores, Level level, Coefficient coefficient,
                          const std::int64_t* pairs, std::size_t pair_count,
                          const std::uint8_t* swaps, std::size_t rounds, bool zero,
                          std::size_t threads, double* out) {
    if (level == Level::system) {
        permuted_means(scores, coefficient, pairs, pair_count, swaps, rounds, threads, out);
        return;
    }
    const bool done =
        coefficient == Coefficient::pearson
            ? permuted_values(scores, level, pairs, pair_count, swaps, rounds, zero, threads, out)
            : permuted_ranks(scores, level, coefficient, pairs, pair_count, swaps, rounds, zero,
                              threads, out);
    if (done) return;
    const std::size_t cells = scores.systems * scores.inputs;
    for (std::size_t p = 0; p < pair_count; ++p) {
        const ScorePair pair(scores, static_cast<std::size_t>(pairs[2 * p]),
                             static_cast<std::size_t>(pairs[2 * p + 1]), true, level, coefficient);
        in_parallel(rounds, 16, threads, [&] {
            return [&, worker = Exchanger(pair, zero)](std::size_t first, std::size_t last) mutable {
                for (std::size_t round = first; round < last; ++round) {
                    worker.round(swaps + round * cells, out + (round * pair_count + p) * 2);
                }
            };
        });
    }
}

}  // namespace rubrica
