// What is the same in every round of an exchange: the order of the values, and what the second side's
// sum has more than the first one's.
#include <algorithm>
#include <cstdlib>

#include "rubrica/permuted_ranks.hpp"

namespace rubrica::permuted {
namespace {

// The excess of the second side, and of each value in case that it is on the first one.
struct Excess {
    std::int64_t constant = 0;
    std::vector<std::int64_t> of;
};

std::size_t end_of_ties(const std::vector<Value>& values, std::size_t first) {
    while (values[first].last == 0) ++first;
    return first + 1;
}

// Sum over the values of the leads (lower less higher human scores among smaller values) that they
// have over both sides, less what the first side's values take part in.
Excess excess_of_pairs(const std::vector<Value>& values, std::size_t kinds) {
    Excess made;
    made.of.assign(values.size(), 0);
    const auto pass = [&](std::int64_t sign, auto&& each_group) {
        std::vector<std::int64_t> seen(kinds, 0);
        each_group([&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                const auto z = static_cast<std::size_t>(values[i].z);
                std::int64_t lead = 0;
                for (std::size_t k = 0; k < kinds; ++k) lead += k < z ? seen[k] : k > z ? -seen[k] : 0;
                made.of[i] -= sign * lead;
                if (sign > 0) made.constant += lead;
            }
            for (std::size_t i = first; i < last; ++i) ++seen[static_cast<std::size_t>(values[i].z)];
        });
    };
    std::vector<std::pair<std::size_t, std::size_t>> groups;
    for (std::size_t first = 0; first < values.size();) {
        const std::size_t last = end_of_ties(values, first);
        groups.emplace_back(first, last);
        first = last;
    }
    pass(1, [&](auto&& visit) {
        for (const auto& [first, last] : groups) visit(first, last);
    });
    pass(-1, [&](auto&& visit) {
        for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
            visit(group->first, group->second);
        }
    });
    return made;
}

// The first side's sum is less that of t (2 P + s) over ties of t values: s is what their human ranks
// add up to, P what those of smaller values do. The second side has the rest of t, P and s.
Excess excess_of_ranks(const std::vector<Value>& values) {
    Excess made;
    made.of.assign(values.size(), 0);
    std::int64_t before = 0;
    for (std::size_t first = 0; first < values.size();) {
        const std::size_t last = end_of_ties(values, first);
        const auto size = static_cast<std::int64_t>(last - first);
        const auto after = static_cast<std::int64_t>(values.size() - last);
        std::int64_t sum = 0;
        for (std::size_t i = first; i < last; ++i) sum += values[i].z;
        for (std::size_t i = first; i < last; ++i) {
            made.of[i] = values[i].z * (size + 2 * after) + 2 * before + sum;
        }
        made.constant -= size * (2 * before + sum);
        before += sum;
        first = last;
    }
    return made;
}

}  // namespace

Human human_column(const double* z, std::vector<std::uint32_t> cells) {
    Human made;
    const auto n = static_cast<std::int32_t>(cells.size());
    std::sort(cells.begin(), cells.end(), [&](auto a, auto b) { return z[a] < z[b]; });
    made.codes.resize(cells.size());
    made.ranks.resize(cells.size());
    double ties = 0;
    for (std::int32_t first = 0, last; first < n; first = last) {
        const auto at = [&](std::int32_t i) { return z[cells[static_cast<std::size_t>(i)]]; };
        for (last = first + 1; last < n && !(at(first) < at(last));) ++last;
        for (std::int32_t i = first; i < last; ++i) {
            made.codes[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(made.kinds);
            // Smaller less greater ones: twice the centred average rank.
            made.ranks[static_cast<std::size_t>(i)] = first - (n - last);
        }
        const double rank = first - (n - last), count = last - first;
        made.squares += count * rank * rank;
        ties += count * count;
        ++made.kinds;
    }
    made.points = n;
    made.untied = (made.points * made.points - ties) / 2;
    made.cells = std::move(cells);
    return made;
}

PairColumn pair_column(const Human& human, const double* x, const double* y, bool ranks) {
    struct Placed {
        Value value;
        std::size_t point;
    };
    const std::size_t points = human.cells.size();
    std::vector<Placed> placed;
    placed.reserve(2 * points);
    for (std::size_t i = 0; i < points; ++i) {
        const std::int32_t z = ranks ? human.ranks[i] : human.codes[i];
        placed.push_back({{human.cells[i], z, 0, 0}, i});
        placed.push_back({{human.cells[i], z, -1, 0}, i});
    }
    const auto score = [&](const Placed& one) {
        return one.value.of_y != 0 ? y[one.value.cell] : x[one.value.cell];
    };
    std::sort(placed.begin(), placed.end(),
              [&](const Placed& a, const Placed& b) { return score(a) < score(b); });
    PairColumn made;
    made.values.reserve(placed.size());
    for (std::size_t i = 0; i < placed.size(); ++i) {
        made.values.push_back(placed[i].value);
        made.values.back().last = i + 1 == placed.size() || score(placed[i]) < score(placed[i + 1]);
        made.tied = made.tied || made.values.back().last == 0;
    }
    const Excess excess =
        ranks ? excess_of_ranks(made.values) : excess_of_pairs(made.values, human.kinds);
    std::vector<std::int64_t> change(points, 0);
    made.base = excess.constant;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (placed[i].value.of_y != 0) {
            change[placed[i].point] += excess.of[i];
        } else {
            change[placed[i].point] -= excess.of[i];
            made.base += excess.of[i];
        }
    }
    std::int64_t largest = 0;
    for (const std::int64_t one : change) largest += std::abs(one);
    const bool fits = largest < std::int64_t{1} << 31;
    for (const std::int64_t one : change) {
        made.low.push_back(static_cast<std::int32_t>(fits ? one : one & 0xffff));
        if (!fits) made.high.push_back(static_cast<std::int32_t>(one >> 16));
    }
    return made;
}

}  // namespace rubrica::permuted
