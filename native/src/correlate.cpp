#include "rubrica/correlate.hpp"

#include "rubrica/parallel.hpp"
#include "rubrica/resampled_global.hpp"
#include "rubrica/resampled_inputs.hpp"
#include "rubrica/score_pair.hpp"

namespace rubrica {
namespace {

// Correlations within all inputs, the given systems taking part.
void within_inputs(const ScorePair& m, Columns& columns, std::span<const Row> rows, double* r,
                   double* points) {
    if (m.coefficient == Coefficient::pearson) {
        columns.pearson({m.x.data(), m.z.data(), m.present.data(), m.inputs}, rows, r, points);
    } else if (m.narrow) {
        const std::int16_t* present = m.whole ? nullptr : m.present16.data();
        columns.rank(CodeColumns<std::int16_t>{m.x16.data(), m.z16.data(), present, m.inputs}, rows,
                     m.coefficient, r, points);
    } else {
        const std::int32_t* present = m.whole ? nullptr : m.present32.data();
        columns.rank(CodeColumns<std::int32_t>{m.x32.data(), m.z32.data(), present, m.inputs}, rows,
                     m.coefficient, r, points);
    }
}

// One thread's resampling of one metric.
class Resampler {
public:
    Resampler(const ScorePair& scores, bool zero) : m_(scores), zero_(zero) {
        r_.resize(m_.inputs);
        points_.resize(m_.inputs);
        mean_x_.resize(m_.systems);
        mean_z_.resize(m_.systems);
        products_.resize(m_.inputs);
        weights_.resize(m_.level == Level::global ? m_.cells.size() : m_.systems);
        for (const std::uint32_t cell : m_.cells) {
            cell_systems_.push_back(static_cast<std::uint32_t>(cell / m_.inputs));
            cell_inputs_.push_back(static_cast<std::uint32_t>(cell % m_.inputs));
        }
    }

    double round(const std::int32_t* systems, const std::int32_t* inputs) {
        if (m_.level == Level::summary) return summary(systems, inputs);
        return m_.level == Level::system ? system(systems, inputs) : global(systems, inputs);
    }

private:
    double summary(const std::int32_t* systems, const std::int32_t* inputs) {
        // Where only inputs are resampled, their correlations stay the same.
        if (rows_.empty() || !std::equal(systems, systems + m_.systems, last_.begin())) {
            last_.assign(systems, systems + m_.systems);
            rows_.clear();
            for (std::size_t i = 0; i < m_.systems; ++i) {
                if (systems[i] > 0) rows_.push_back({i, systems[i]});
            }
            within_inputs(m_, columns_, rows_, r_.data(), points_.data());
        }
        return mean_over_inputs(r_.data(), points_.data(), inputs, m_.inputs, zero_);
    }

    double system(const std::int32_t* systems, const std::int32_t* inputs) {
        times_.assign(inputs, inputs + m_.inputs);
        const double all = pairwise_sum(times_.data(), m_.inputs);
        for (std::size_t i = 0; i < m_.systems; ++i) {
            const std::size_t at = i * m_.inputs;
            const double number = m_.whole ? all : times(m_.present.data() + at);
            mean_x_[i] = number > 0 ? times(m_.x.data() + at) / number : 0.0;
            mean_z_[i] = number > 0 ? times(m_.z.data() + at) / number : 0.0;
            weights_[i] = number > 0 ? systems[i] : 0;
        }
        return correlate_means(column_, mean_x_, mean_z_, weights_, m_.coefficient, codes_);
    }

    // The sum of the values, each as often as its input is drawn.
    double times(const double* values) {
        for (std::size_t j = 0; j < m_.inputs; ++j) products_[j] = times_[j] * values[j];
        return pairwise_sum(products_.data(), m_.inputs);
    }

    double global(const std::int32_t* systems, const std::int32_t* inputs) {
        for (std::size_t i = 0; i < m_.cells.size(); ++i) {
            weights_[i] = systems[cell_systems_[i]] * inputs[cell_inputs_[i]];
        }
        if (m_.coefficient == Coefficient::pearson) {
            return column_.pearson(m_.cell_x, m_.cell_z, weights_);
        }
        return column_.rank(m_.code_x, m_.kinds_x, m_.code_z, m_.kinds_z, weights_, m_.coefficient);
    }

    const ScorePair& m_;
    bool zero_;
    Columns columns_;
    LongColumn column_;
    std::vector<Row> rows_;
    std::vector<std::uint32_t> cell_systems_, cell_inputs_;  // of the cells of the global level
    std::vector<std::int32_t> last_, weights_, codes_;
    std::vector<double> r_, points_, mean_x_, mean_z_, products_, times_;
};

}  // namespace

void column_correlations(const Scores& scores, Coefficient coefficient, double* out) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < scores.systems; ++i) rows.push_back({i, 1});
    std::vector<double> points(scores.inputs);
    Columns columns;
    for (std::size_t k = 0; k < scores.kinds; ++k) {
        const ScorePair pair(scores, k, k, false, Level::summary, coefficient);
        within_inputs(pair, columns, rows, out + k * scores.inputs, points.data());
    }
}

void resampled_correlations(const Scores& scores, Level level, Coefficient coefficient,
                            const std::int32_t* system_counts, const std::int32_t* input_counts,
                            std::size_t rounds, bool zero, std::size_t threads, double* out) {
    if (level == Level::summary && resampled_inputs(scores, coefficient, system_counts, input_counts, rounds, zero,
                                                    threads, out)) {
        return;
    }
    for (std::size_t k = 0; k < scores.kinds; ++k) {
        const ScorePair pair(scores, k, k, false, level, coefficient);
        if (level == Level::global && resampled_global(pair, system_counts, input_counts, rounds, threads,
                                                       out + k, scores.kinds)) {
            continue;
        }
        in_parallel(rounds, 16, threads, [&] {
            return [&, worker = Resampler(pair, zero)](std::size_t first, std::size_t last) mutable {
                for (std::size_t round = first; round < last; ++round) {
                    out[round * scores.kinds + k] = worker.round(
                        system_counts + round * scores.systems, input_counts + round * scores.inputs);
                }
            };
        });
    }
}

}  // namespace rubrica
