// The kernels of meta-evaluation, bound.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "bindings.hpp"
#include "rubrica/correlate.hpp"
#include "rubrica/draws.hpp"
#include "rubrica/exchanged_sums.hpp"
#include "rubrica/rank_tables.hpp"

using namespace nb::literals;

namespace {

using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Pairs = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Swaps = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using NewCounts = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;
using CellSwaps = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Tables = nb::ndarray<const double, nb::shape<3, -1, -1, -1>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewFlags = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;
using NewSwaps = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<3>>;

rubrica::Coefficient coefficient_of(const std::string& name) {
    if (name == "pearson") return rubrica::Coefficient::pearson;
    if (name == "spearman") return rubrica::Coefficient::spearman;
    if (name == "kendall") return rubrica::Coefficient::tau_b;
    if (name == "tau-a") return rubrica::Coefficient::tau_a;
    if (name == "tau-c") return rubrica::Coefficient::tau_c;
    throw nb::value_error("no such coefficient");
}

rubrica::Level level_of(const std::string& name) {
    if (name == "summary") return rubrica::Level::summary;
    if (name == "system") return rubrica::Level::system;
    if (name == "global") return rubrica::Level::global;
    throw nb::value_error("no such level");
}

rubrica::SwapScheme scheme_of(const std::string& name) {
    if (name == "systems") return rubrica::SwapScheme::systems;
    if (name == "inputs") return rubrica::SwapScheme::inputs;
    if (name == "cells") return rubrica::SwapScheme::cells;
    if (name == "rows-columns") return rubrica::SwapScheme::rows_columns;
    throw nb::value_error("no such scheme");
}

rubrica::Scores scores_of(const Cube& metrics, const Matrix& human) {
    if (metrics.shape(1) != human.shape(0) || metrics.shape(2) != human.shape(1)) {
        throw nb::value_error("metrics and human scores differ in shape");
    }
    if (human.size() > INT32_MAX) throw nb::value_error("more than 2^31 scores");
    return {metrics.data(), human.data(), metrics.shape(0), metrics.shape(1), metrics.shape(2)};
}

// Counts are weights: their products must fit, and none is negative.
void check_counts(const Counts& systems, const Counts& inputs) {
    std::int64_t most[] = {1, 1};
    const Counts* both[] = {&systems, &inputs};
    for (std::size_t side = 0; side < 2; ++side) {
        for (std::size_t i = 0; i < both[side]->size(); ++i) {
            const std::int64_t count = both[side]->data()[i];
            if (count < 0) throw nb::value_error("a count is negative");
            most[side] = std::max(most[side], count);
        }
    }
    if (most[0] * most[1] > INT32_MAX) throw nb::value_error("counts are too large");
}

void check_pairs(const Pairs& pairs, std::size_t kinds) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::int64_t metric = pairs.data()[i];
        if (metric < 0 || static_cast<std::size_t>(metric) >= kinds) {
            throw nb::index_error("a pair names a metric that is not there");
        }
    }
}

NewCounts bootstrap_counts(std::size_t size, std::size_t rounds, std::uint64_t seed,
                           std::size_t first, std::size_t start) {
    check_rounds(rounds, first);
    if (size > INT32_MAX) throw nb::value_error("more than 2^31 things to draw from");
    nb::capsule owner;
    auto* data = fresh<std::int32_t>({rounds, size}, owner);
    {
        const nb::gil_scoped_release release;
        rubrica::bootstrap_counts(size, first, rounds, seed, start, data);
    }
    return NewCounts(data, {rounds, size}, owner);
}

NewSwaps swap_masks(std::size_t systems, std::size_t inputs, const std::string& scheme,
                    std::size_t rounds, std::uint64_t seed, std::size_t first) {
    const rubrica::SwapScheme chosen = scheme_of(scheme);
    check_rounds(rounds, first);
    nb::capsule owner;
    auto* data = fresh<std::uint8_t>({rounds, systems, inputs}, owner);
    {
        const nb::gil_scoped_release release;
        rubrica::swap_masks(systems, inputs, chosen, first, rounds, seed, data);
    }
    return NewSwaps(data, {rounds, systems, inputs}, owner);
}

Result column_correlations(Cube metrics, Matrix human, const std::string& coefficient) {
    const rubrica::Scores scores = scores_of(metrics, human);
    const rubrica::Coefficient chosen = coefficient_of(coefficient);
    Result out = make_result({scores.kinds, scores.inputs});
    const nb::gil_scoped_release release;
    rubrica::column_correlations(scores, chosen, out.data());
    return out;
}

Result resampled_correlations(Cube metrics, Matrix human, const std::string& level,
                              const std::string& coefficient, Counts system_counts,
                              Counts input_counts, bool zero, std::size_t threads) {
    const rubrica::Scores scores = scores_of(metrics, human);
    const std::size_t rounds = system_counts.shape(0);
    if (system_counts.shape(1) != scores.systems || input_counts.shape(1) != scores.inputs ||
        input_counts.shape(0) != rounds) {
        throw nb::value_error("counts of systems and inputs do not fit the scores");
    }
    check_counts(system_counts, input_counts);
    const rubrica::Level at = level_of(level);
    const rubrica::Coefficient chosen = coefficient_of(coefficient);
    Result out = make_result({rounds, scores.kinds});
    const nb::gil_scoped_release release;
    rubrica::resampled_correlations(scores, at, chosen, system_counts.data(), input_counts.data(),
                                    rounds, zero, threads, out.data());
    return out;
}

Result swapped_correlations(Cube metrics, Matrix human, const std::string& level,
                            const std::string& coefficient, Pairs pairs, Swaps swaps, bool zero,
                            std::size_t threads) {
    const rubrica::Scores scores = scores_of(metrics, human);
    const std::size_t rounds = swaps.shape(0), count = pairs.shape(0);
    if (swaps.shape(1) != scores.systems || swaps.shape(2) != scores.inputs) {
        throw nb::value_error("exchanges do not fit the scores");
    }
    check_pairs(pairs, scores.kinds);
    const rubrica::Level at = level_of(level);
    const rubrica::Coefficient chosen = coefficient_of(coefficient);
    Result out = make_result({rounds, count, 2});
    const nb::gil_scoped_release release;
    rubrica::swapped_correlations(scores, at, chosen, pairs.data(), count, swaps.data(), rounds,
                                  zero, threads, out.data());
    return out;
}

Result masked_sums(Matrix weights, CellSwaps swaps, std::size_t threads) {
    const std::size_t cells = weights.shape(0), kinds = weights.shape(1), rounds = swaps.shape(0);
    if (swaps.shape(1) != cells) throw nb::value_error("exchanges do not fit the weights");
    Result out = make_result({rounds, kinds});
    const nb::gil_scoped_release release;
    rubrica::masked_sums(weights.data(), cells, kinds, swaps.data(), rounds, threads, out.data());
    return out;
}

nb::tuple exchanged_pearson(Tables tables, Vector points, Pairs pairs, Swaps swaps,
                            std::size_t threads) {
    const rubrica::Moments moments{tables.data(), points.data(), tables.shape(1), tables.shape(2),
                                   tables.shape(3)};
    if (points.shape(0) != moments.columns) throw nb::value_error("points do not fit the columns");
    if (swaps.shape(1) != moments.units || swaps.shape(2) != moments.columns) {
        throw nb::value_error("exchanges do not fit the sums");
    }
    check_pairs(pairs, moments.kinds);
    const std::size_t rounds = swaps.shape(0), count = pairs.shape(0);
    Result out = make_result({rounds, count});
    nb::capsule owner;
    auto* flags = fresh<std::uint8_t>({count}, owner);
    {
        const nb::gil_scoped_release release;
        rubrica::exchanged_pearson(moments, pairs.data(), count, swaps.data(), rounds, threads,
                                   out.data(), flags);
    }
    return nb::make_tuple(out, NewFlags(flags, {count}, owner));
}

void check_codes(const Codes& codes, std::size_t limit, const char* what) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::int32_t code = codes.data()[i];
        if (code < 0 || static_cast<std::size_t>(code) >= limit) throw nb::index_error(what);
    }
}

Result rank_tables(Counts codes, Codes human, Codes units, std::size_t unit_count, std::size_t kinds,
                   std::size_t threads) {
    const rubrica::RankedCells cells{codes.data(),   human.data(), units.data(), codes.shape(0),
                                     codes.shape(1), unit_count,   kinds};
    if (human.size() != cells.cells || units.size() != cells.cells) {
        throw nb::value_error("human scores and units do not fit the codes");
    }
    if (kinds > INT32_MAX || unit_count > INT32_MAX || cells.cells > INT32_MAX / 4) {
        throw nb::value_error("more than 2^29 cells");
    }
    check_codes(units, unit_count, "a cell names a unit that is not there");
    if (kinds > 0) check_codes(human, kinds, "a cell has a human score that is not there");
    Result out = make_result({cells.metrics, cells.metrics, unit_count, unit_count});
    const nb::gil_scoped_release release;
    rubrica::rank_tables(cells, threads, out.data());
    return out;
}

}  // namespace

void bind_meta(nb::module_& m) {
    m.def("bootstrap_counts", &bootstrap_counts, "size"_a, "rounds"_a, "seed"_a, "first"_a,
          "start"_a, "How often each thing is drawn in each round.");
    m.def("swap_masks", &swap_masks, "systems"_a, "inputs"_a, "scheme"_a, "rounds"_a, "seed"_a,
          "first"_a, "Which cells two metrics exchange in each round.");
    m.def("column_correlations", &column_correlations, "metrics"_a.noconvert(),
          "human"_a.noconvert(), "coefficient"_a, "Correlations within each input.");
    m.def("resampled_correlations", &resampled_correlations, "metrics"_a.noconvert(),
          "human"_a.noconvert(), "level"_a, "coefficient"_a, "system_counts"_a.noconvert(),
          "input_counts"_a.noconvert(), "zero"_a, "threads"_a,
          "Correlations when systems and inputs are resampled.");
    m.def("swapped_correlations", &swapped_correlations, "metrics"_a.noconvert(),
          "human"_a.noconvert(), "level"_a, "coefficient"_a, "pairs"_a.noconvert(),
          "swaps"_a.noconvert(), "zero"_a, "threads"_a,
          "Correlations after two metrics have exchanged cells.");
    m.def("masked_sums", &masked_sums, "weights"_a.noconvert(), "swaps"_a.noconvert(), "threads"_a,
          "Sums of the weights of what a round exchanges.");
    m.def("rank_tables", &rank_tables, "codes"_a.noconvert(), "human"_a.noconvert(), "units"_a.noconvert(),
          "unit_count"_a, "kinds"_a, "threads"_a, "Sums of comparisons between cells of any two metrics.");
    m.def("exchanged_pearson", &exchanged_pearson, "tables"_a.noconvert(), "points"_a.noconvert(),
          "pairs"_a.noconvert(), "swaps"_a.noconvert(), "threads"_a,
          "Differences of Pearson's correlations after exchanges, from sums.");
}
