#include "rubrica/rank_tables.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "rubrica/lanes.hpp"
#include "rubrica/parallel.hpp"

namespace rubrica {
namespace {

using Order = std::vector<std::uint32_t>;

RUBRICA_CLONES void add_leads(const std::int32_t* lower, const std::int32_t* through, const std::int32_t* all,
                              std::int32_t times, std::size_t count, double* row) {
    for (std::size_t k = 0; k < count; ++k) row[k] += times * (lower[k] + through[k] - all[k]);
}

RUBRICA_CLONES void add_weighted(const std::int32_t* seen, double weight, std::size_t count, double* row) {
    for (std::size_t k = 0; k < count; ++k) row[k] += weight * seen[k];
}

// One thread's walks through the cells of a metric in ascending order. Cells of all metrics are compared with those
// that the walk has passed.
class Walker {
public:
    Walker(const RankedCells& cells, const std::vector<Order>& orders)
        : m_(cells), orders_(orders), seen_((cells.kinds + 1) * cells.unit_count), at_(cells.metrics) {}

    void walk(std::size_t q, double* out) {
        std::fill(seen_.begin(), seen_.end(), 0);
        std::fill(at_.begin(), at_.end(), 0);
        const Order& order = orders_[q];
        for (std::size_t first = 0, last; first < order.size(); first = last) {
            const std::int32_t code = code_of(q, order[first]);
            last = first;
            // Lower cells come before the group and its equals; equal ones before it, and again behind it.
            for (std::size_t p = 0; p < m_.metrics; ++p) {
                visit(p, q, out, 2, [&](std::int32_t own) { return own < code; });
            }
            lower_ = at_;
            for (std::size_t p = 0; p < m_.metrics; ++p) {
                visit(p, q, out, 1, [&](std::int32_t own) { return own == code; });
            }
            at_ = lower_;
            for (; last < order.size() && code_of(q, order[last]) == code; ++last) pass(order[last]);
            for (std::size_t p = 0; p < m_.metrics; ++p) {
                visit(p, q, out, 1, [&](std::int32_t own) { return own == code; });
            }
        }
        for (std::size_t p = 0; p < m_.metrics; ++p) {
            visit(p, q, out, 2, [](std::int32_t) { return true; });
        }
        // What cells would add that are compared with all cells, once: the sum of a cell is that of lower cells less
        // that of higher ones.
        for (std::size_t p = 0; p < m_.metrics; ++p) {
            for (std::size_t c = 0; c < m_.cells; ++c) add(p, q, out, c, -1);
        }
    }

private:
    std::int32_t code_of(std::size_t metric, std::size_t cell) const {
        return m_.codes[metric * m_.cells + cell];
    }

    void pass(std::size_t cell) {
        const auto unit = static_cast<std::size_t>(m_.units[cell]);
        if (m_.kinds == 0) {
            ++seen_[unit];
            return;
        }
        for (auto k = static_cast<std::size_t>(m_.human[cell]) + 1; k <= m_.kinds; ++k) {
            ++seen_[k * m_.unit_count + unit];
        }
    }

    void add(std::size_t p, std::size_t q, double* out, std::size_t cell, std::int32_t times) {
        const std::size_t count = m_.unit_count;
        double* row = out + ((p * m_.metrics + q) * count + static_cast<std::size_t>(m_.units[cell])) * count;
        if (m_.kinds == 0) {
            add_weighted(seen_.data(), static_cast<double>(times) * m_.human[cell], count, row);
            return;
        }
        const std::int32_t* lower = seen_.data() + static_cast<std::size_t>(m_.human[cell]) * count;
        add_leads(lower, lower + count, seen_.data() + m_.kinds * count, times, count, row);
    }

    template <class Takes>
    void visit(std::size_t p, std::size_t q, double* out, std::int32_t times, Takes takes) {
        std::size_t& at = at_[p];
        for (; at < m_.cells && takes(code_of(p, orders_[p][at])); ++at) add(p, q, out, orders_[p][at], times);
    }

    const RankedCells& m_;
    const std::vector<Order>& orders_;
    std::vector<std::int32_t> seen_;  // [kind][unit]: cells passed whose human score is lower than the kind
    std::vector<std::size_t> at_, lower_;  // the next cell of each metric
};

}  // namespace

void rank_tables(const RankedCells& cells, std::size_t threads, double* out) {
    std::fill_n(out, cells.metrics * cells.metrics * cells.unit_count * cells.unit_count, 0.0);
    std::vector<Order> orders(cells.metrics, Order(cells.cells));
    for (std::size_t p = 0; p < cells.metrics; ++p) {
        std::iota(orders[p].begin(), orders[p].end(), 0u);
        const std::int32_t* codes = cells.codes + p * cells.cells;
        std::sort(orders[p].begin(), orders[p].end(), [&](auto a, auto b) { return codes[a] < codes[b]; });
    }
    in_parallel(cells.metrics, 1, threads, [&] {
        return [&, walker = Walker(cells, orders)](std::size_t first, std::size_t last) mutable {
            for (std::size_t q = first; q < last; ++q) walker.walk(q, out);
        };
    });
}

}  // namespace rubrica
