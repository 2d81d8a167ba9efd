#include <algorithm>

#include "rubrica/meteor_align.hpp"

namespace rubrica::meteor {

void Matches::clear(std::size_t words2) {
    for (std::size_t j = 0; j < std::min(size_, by_start_.size()); ++j) by_start_[j].clear();
    if (by_start_.size() < words2) by_start_.resize(words2);
    size_ = words2;
}

void Matcher::Places::add(std::uint32_t key, std::uint32_t at) {
    if (key >= head.size()) head.resize(key + 1, 0);
    if (head[key] == 0) touched.push_back(key);
    next.push_back(head[key]);
    place.push_back(at);
    head[key] = static_cast<std::uint32_t>(place.size());  // 0 is the end of a list
}

void Matcher::Places::clear() {
    for (const std::uint32_t key : touched) head[key] = 0;
    touched.clear();
    next.clear();
    place.clear();
}

Matcher::Matcher(const Texts& texts, const Phrases& phrases) : texts_(texts), phrases_(phrases) {}

void Matcher::find(std::span<const std::int32_t> words1, std::span<const std::int32_t> words2,
                   std::size_t modules_run, Matches& found) {
    found.clear(words2.size());
    if (std::ranges::equal(words1, words2)) modules_run = 1;
    // Lists are filled from the end, so that they read from the beginning.
    const auto fill = [&](auto&& keys) {
        places_.clear();
        for (std::size_t i = words1.size(); i-- > 0;) {
            keys(static_cast<std::size_t>(words1[i]), [&](std::int32_t key) {
                places_.add(static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(i));
            });
        }
    };
    const auto each = [&](std::uint32_t key, auto&& see) {
        if (key >= places_.head.size()) return;
        for (std::uint32_t at = places_.head[key]; at != 0; at = places_.next[at - 1]) {
            see(places_.place[at - 1]);
        }
    };
    const auto add = [&](std::size_t j, std::uint32_t i, std::uint32_t module) {
        found.add({static_cast<std::uint32_t>(j), 1, i, 1, module});
    };
    fill([](std::size_t word, auto&& key) { key(static_cast<std::int32_t>(word)); });
    for (std::size_t j = 0; j < words2.size(); ++j) {
        each(static_cast<std::uint32_t>(words2[j]), [&](std::uint32_t i) { add(j, i, 0); });
    }
    if (modules_run > 1) {
        fill([&](std::size_t word, auto&& key) { key(texts_.stems[word]); });
        for (std::size_t j = 0; j < words2.size(); ++j) {
            const auto stem = texts_.stems[static_cast<std::size_t>(words2[j])];
            each(static_cast<std::uint32_t>(stem), [&](std::uint32_t i) {
                if (words1[i] != words2[j]) add(j, i, 1);
            });
        }
    }
    if (modules_run > 2) {
        const auto synsets = [&](std::size_t word) {
            const auto first = static_cast<std::size_t>(texts_.synset_starts[word]);
            const auto last = static_cast<std::size_t>(texts_.synset_starts[word + 1]);
            return texts_.synsets.subspan(first, last - first);
        };
        fill([&](std::size_t word, auto&& key) {
            for (const std::int32_t synset : synsets(word)) key(synset);
        });
        for (std::size_t j = 0; j < words2.size(); ++j) {
            hits_.clear();
            for (const std::int32_t synset : synsets(static_cast<std::size_t>(words2[j]))) {
                each(static_cast<std::uint32_t>(synset), [&](std::uint32_t i) {
                    if (words1[i] != words2[j]) hits_.push_back(i);
                });
            }
            std::ranges::sort(hits_);
            const auto end = std::ranges::unique(hits_).begin();
            for (auto i = hits_.begin(); i != end; ++i) add(j, *i, 2);
        }
    }
    if (modules_run > 3 && !phrases_.node_words.empty()) {
        paraphrases(words2, words1, true, found);
        paraphrases(words1, words2, false, found);
    }
}

void Matcher::paraphrases(std::span<const std::int32_t> words, std::span<const std::int32_t> others,
                          bool from_reference, Matches& found) {
    const auto key = [&](std::int32_t word) {
        return texts_.phrase_words[static_cast<std::size_t>(word)];
    };
    const auto at = [](std::int32_t number) { return static_cast<std::size_t>(number); };
    places_.clear();
    for (std::size_t i = others.size(); i-- > 0;) {
        const std::int32_t k = key(others[i]);
        if (k >= 0) places_.add(static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(i));
    }
    for (std::size_t start = 0; start < words.size(); ++start) {
        std::size_t node = 0;
        for (std::size_t end = start; end < words.size(); ++end) {
            const std::int32_t* first = phrases_.node_words.data() + phrases_.first_child[node];
            const std::int32_t* last = phrases_.node_words.data() + phrases_.first_child[node + 1];
            const std::int32_t wanted = key(words[end]);
            const std::int32_t* child = std::lower_bound(first, last, wanted);
            if (child == last || *child != wanted) break;
            node = static_cast<std::size_t>(child - phrases_.node_words.data());
            for (std::int32_t e = phrases_.first_entry[node]; e < phrases_.first_entry[node + 1];
                 ++e) {
                const std::size_t from = at(phrases_.entry_starts[at(e)]);
                const auto entry =
                    phrases_.entry_words.subspan(from, at(phrases_.entry_starts[at(e) + 1]) - from);
                const auto head = static_cast<std::uint32_t>(entry[0]);
                if (head >= places_.head.size()) continue;
                for (std::uint32_t p = places_.head[head]; p != 0; p = places_.next[p - 1]) {
                    const std::size_t there = places_.place[p - 1];
                    if (there + entry.size() > others.size()) continue;
                    std::size_t k = 1;
                    while (k < entry.size() && key(others[there + k]) == entry[k]) ++k;
                    if (k < entry.size()) continue;
                    const auto here = static_cast<std::uint32_t>(start);
                    const auto length = static_cast<std::uint32_t>(end + 1 - start);
                    const auto other = static_cast<std::uint32_t>(there);
                    const auto other_length = static_cast<std::uint32_t>(entry.size());
                    found.add(from_reference ? Match{here, length, other, other_length, 3}
                                             : Match{other, other_length, here, length, 3});
                }
            }
        }
    }
}

}  // namespace rubrica::meteor
