#include "rubrica/soft_matches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

#include "rubrica/interrupt.hpp"

namespace rubrica {
namespace {

using Words = std::span<const std::int64_t>;

// So many decimals of a similarity count: sums of the same vectors in another order are equal.
constexpr double decimals = 1e12;
constexpr double used_up = -std::numeric_limits<double>::infinity();
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

// Numbers for n-grams, equal for equal ones of both texts.
class Numbers {
public:
    explicit Numbers(std::size_t n) : tables_(n) {}

    std::uint64_t of(Words words) {
        std::uint64_t number = 0;
        for (std::size_t k = 0; k < words.size(); ++k) {
            // The number of the n-gram without its last word, and that word.
            const std::uint64_t key = number << 32 | static_cast<std::uint64_t>(words[k]);
            number = tables_[k].try_emplace(key, tables_[k].size()).first->second;
        }
        return number;
    }

private:
    std::vector<std::unordered_map<std::uint64_t, std::uint64_t>> tables_;
};

struct Gram {
    std::uint64_t number;
    std::size_t at;  // where it first stands
    std::int64_t count;
    bool known;
};

std::vector<Gram> distinct(Words words, std::size_t n, Numbers& numbers,
                           const WordVectors& vectors) {
    std::vector<Gram> grams;
    std::unordered_map<std::uint64_t, std::size_t> places;
    for (std::size_t at = 0; at + n <= words.size(); ++at) {
        const Words gram = words.subspan(at, n);
        const std::uint64_t number = numbers.of(gram);
        const auto [place, fresh] = places.try_emplace(number, grams.size());
        if (fresh) {
            const bool known = std::all_of(gram.begin(), gram.end(), [&](std::int64_t word) {
                return vectors.known[static_cast<std::size_t>(word)] != 0;
            });
            grams.push_back({number, at, 0, known});
        }
        ++grams[place->second].count;
    }
    return grams;
}

// The sum of the words' vectors, scaled to length 1; zeros where a word has none or the sum is zero.
void unit(Words gram, bool known, const WordVectors& vectors, std::vector<double>& out) {
    const std::size_t size = vectors.dimensions;
    out.assign(size, 0.0);
    if (!known) return;
    for (const std::int64_t word : gram) {
        const double* row = vectors.values.data() + static_cast<std::size_t>(word) * size;
        for (std::size_t d = 0; d < size; ++d) out[d] += row[d];
    }
    double square = 0;
    for (const double value : out) square += value * value;
    if (square == 0) return;
    const double length = std::sqrt(square);
    for (double& value : out) value /= length;
}

}  // namespace

SoftMatches soft_matches(Words summary, Words reference, std::size_t n, const WordVectors& vectors,
                         double threshold) {
    Numbers numbers(n);
    const std::vector<Gram> peer = distinct(summary, n, numbers, vectors);
    const std::vector<Gram> model = distinct(reference, n, numbers, vectors);
    SoftMatches found;
    for (const Gram& gram : peer) found.summary += gram.count;
    for (const Gram& gram : model) found.reference += gram.count;
    if (peer.empty() || model.empty()) return found;

    const std::size_t size = vectors.dimensions, others = model.size();
    std::vector<double> one, columns(size * others);  // [dimension, n-gram of the reference]
    std::unordered_map<std::uint64_t, std::size_t> places;
    std::vector<std::int64_t> left;
    for (std::size_t q = 0; q < others; ++q) {
        unit(reference.subspan(model[q].at, n), model[q].known, vectors, one);
        for (std::size_t d = 0; d < size; ++d) columns[d * others + q] = one[d];
        places.emplace(model[q].number, q);
        left.push_back(model[q].count);
    }

    std::vector<double> similarity(others);
    for (const Gram& gram : peer) {
        check_interrupt();
        const auto same = places.find(gram.number);
        std::size_t best = same == places.end() ? none : same->second;
        if (gram.known) {
            unit(summary.subspan(gram.at, n), true, vectors, one);
            std::fill(similarity.begin(), similarity.end(), 0.0);
            // Dimension by dimension: the sums of all n-grams side by side, each in a fixed order.
            for (std::size_t d = 0; d < size; ++d) {
                const double* column = &columns[d * others];
                for (std::size_t q = 0; q < others; ++q) similarity[q] += one[d] * column[q];
            }
            for (double& value : similarity) value = std::nearbyint(value * decimals) / decimals;
            if (best != none) similarity[best] = 1.0;
            for (std::size_t q = 0; q < others; ++q) {
                if (left[q] == 0) similarity[q] = used_up;
            }
            const auto most = std::max_element(similarity.begin(), similarity.end());
            best = *most < threshold ? none : static_cast<std::size_t>(most - similarity.begin());
        }
        // One n-gram of the summary uses one of the reference, even if it occurs more often.
        if (best == none || left[best] == 0) continue;
        const std::int64_t used = std::min(left[best], gram.count);
        found.matches += used;
        left[best] -= used;
    }
    return found;
}

}  // namespace rubrica
