#include "rubrica/cider.hpp"

#include <algorithm>
#include <cmath>

#include "rubrica/interrupt.hpp"

namespace rubrica {
namespace {

std::uint64_t lengthened(std::uint32_t gram, std::uint32_t word) {
    return static_cast<std::uint64_t>(gram) << 32 | word;
}

}  // namespace

std::uint32_t CiderFrequencies::number(std::string_view word) {
    if (const std::uint32_t* known = words_.find(word.data(), word.size())) return *known;
    const auto fresh = static_cast<std::uint32_t>(words_.size());
    words_.insert(word.data(), word.size(), fresh);
    return fresh;
}

void CiderFrequencies::add_example(std::span<const NumberedWords> references) {
    ++examples_;
    std::vector<NumberedWords> grams(references.begin(), references.end());
    for (std::size_t k = 0; k < n(); ++k) {
        check_interrupt();
        std::vector<std::uint32_t> all;
        for (std::size_t r = 0; r < grams.size(); ++r) {
            NumberedWords& own = grams[r];
            if (k > 0) {
                own.resize(references[r].size() > k ? references[r].size() - k : 0);
                for (std::size_t i = 0; i < own.size(); ++i) {
                    own[i] = grams_[k].number(lengthened(own[i], references[r][i + k]));
                }
            }
            all.insert(all.end(), own.begin(), own.end());
        }
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        const std::size_t most = k == 0 ? words_.size() : grams_[k].size();
        if (counts_[k].size() < most) counts_[k].resize(most, 0);
        for (const std::uint32_t gram : all) ++counts_[k][gram];
    }
}

void CiderFrequencies::finish() {
    std::uint32_t most = 0;
    for (auto& counts : counts_) {
        for (const std::uint32_t count : counts) most = std::max(most, count);
    }
    const double all = std::log(static_cast<double>(std::max<std::size_t>(1, examples_)));
    for (std::uint32_t count = 0; count <= most; ++count) {
        // An n-gram that no example has counts as one that a single example has.
        idf_.push_back(all - std::log(static_cast<double>(std::max<std::uint32_t>(1, count))));
    }
}

CiderReader::CiderReader(const CiderFrequencies& frequencies)
    : known_(frequencies), grams_(frequencies.n()) {}

std::uint32_t CiderReader::number(std::string_view word) {
    if (const std::uint32_t* known = known_.words_.find(word.data(), word.size())) return *known;
    if (const std::uint32_t* own = words_.find(word.data(), word.size())) return *own;
    const auto fresh = static_cast<std::uint32_t>(known_.words_.size() + words_.size());
    words_.insert(word.data(), word.size(), fresh);
    return fresh;
}

std::uint32_t CiderReader::gram(std::size_t order, std::uint64_t key) {
    const KeyNumbers& known = known_.grams_[order];
    if (const auto found = known.find(key)) return *found;
    return known.size() + grams_[order].number(key);
}

CiderText CiderReader::read(const NumberedWords& words) {
    CiderText text;
    text.length = words.empty() ? 0 : words.size() - 1;
    NumberedWords grams = words;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;  // n-gram, where it stands
    for (std::size_t k = 0; k < known_.n(); ++k) {
        check_interrupt();
        if (k > 0) {
            grams.resize(words.size() > k ? words.size() - k : 0);
            for (std::size_t i = 0; i < grams.size(); ++i) {
                grams[i] = gram(k, lengthened(grams[i], words[i + k]));
            }
        }
        places.clear();
        for (std::size_t i = 0; i < grams.size(); ++i) {
            places.emplace_back(grams[i], static_cast<std::uint32_t>(i));
        }
        std::sort(places.begin(), places.end());
        CiderVector vector;
        std::vector<std::uint32_t> first;
        for (std::size_t i = 0; i < places.size();) {
            std::size_t end = i + 1;
            while (end < places.size() && places[end].first == places[i].first) ++end;
            const std::uint32_t id = places[i].first;
            const std::uint32_t df = id < known_.counts_[k].size() ? known_.counts_[k][id] : 0;
            vector.sorted.push_back({id, static_cast<double>(end - i) * known_.idf_[df]});
            first.push_back(places[i].second);
            i = end;
        }
        std::vector<std::uint32_t> order(first.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return first[a] < first[b]; });
        double squares = 0;
        for (const std::uint32_t at : order) {
            vector.in_order.push_back(vector.sorted[at]);
            squares += vector.sorted[at].value * vector.sorted[at].value;
        }
        vector.norm = std::sqrt(squares);
        text.orders.push_back(std::move(vector));
    }
    return text;
}

double cider_similarity(const CiderText& summary, const CiderText& reference, double sigma) {
    double total = 0;
    for (std::size_t k = 0; k < summary.orders.size(); ++k) {
        const CiderVector &own = summary.orders[k], &other = reference.orders[k];
        double dot = 0;
        for (const CiderVector::Weight& weight : own.in_order) {
            const auto found = std::lower_bound(
                other.sorted.begin(), other.sorted.end(), weight.gram,
                [](const auto& one, std::uint32_t gram) { return one.gram < gram; });
            if (found == other.sorted.end() || found->gram != weight.gram) continue;
            dot += std::min(weight.value, found->value) * found->value;
        }
        const double norm = own.norm * other.norm;
        total += norm != 0 ? dot / norm : dot;
    }
    const double apart =
        static_cast<double>(summary.length) - static_cast<double>(reference.length);
    const auto orders = static_cast<double>(summary.orders.size());
    return 10 * std::exp(-(apart * apart) / (2 * (sigma * sigma))) * total / orders;
}

}  // namespace rubrica
