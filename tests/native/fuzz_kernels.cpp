// Fuzzing of the kernels, a program for each FAMILY (a function fuzz_FAMILY below; native/check.sh lists them).
// Crashes, sanitizer reports and results that break a rule stop it. With clang: -fsanitize=fuzzer;
// elsewhere -DRUBRICA_STANDALONE gives a main with random mutations.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rubrica/blake2b.hpp"
#include "rubrica/cider.hpp"
#include "rubrica/correlate.hpp"
#include "rubrica/draws.hpp"
#include "rubrica/exchanged_sums.hpp"
#include "rubrica/graph.hpp"
#include "rubrica/json_rows.hpp"
#include "rubrica/key_index.hpp"
#include "rubrica/key_numbers.hpp"
#include "rubrica/meteor.hpp"
#include "rubrica/resample.hpp"
#include "rubrica/rouge.hpp"
#include "rubrica/rouge155.hpp"
#include "rubrica/rouge155_bootstrap.hpp"
#include "rubrica/soft_matches.hpp"
#include "rubrica/stem.hpp"
#include "rubrica/ter.hpp"
#include "rubrica/text_column.hpp"
#include "rubrica/wlcs.hpp"

namespace {

void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::abort();
}

// The bytes of an input, taken from the front; zeros when they are used up.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size)
        : rest_(reinterpret_cast<const char*>(data), size) {}

    std::size_t below(std::size_t bound) {
        std::uint8_t byte = 0;
        if (!rest_.empty()) {
            byte = static_cast<std::uint8_t>(rest_.front());
            rest_.remove_prefix(1);
        }
        return byte % bound;
    }

    // Any double, also NaN, infinities and the smallest numbers; small whole numbers often, for ties.
    double number() {
        if (below(4) != 0 || rest_.size() < 8) return static_cast<double>(below(7)) - 3;
        double value;
        std::memcpy(&value, rest_.data(), 8);
        rest_.remove_prefix(8);
        return value;
    }

    double finite() {
        const double value = number();
        return std::isfinite(value) ? value : 0.5;
    }

    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

std::vector<std::int64_t> word_numbers(Bytes& bytes, std::size_t words, std::size_t most) {
    std::vector<std::int64_t> text(bytes.below(most + 1));
    for (auto& word : text) word = static_cast<std::int64_t>(bytes.below(words));
    return text;
}

[[maybe_unused]] void fuzz_rows(Bytes& bytes) {
    const double number = bytes.number();
    std::string written;
    rubrica::append_json_number(written, number);
    expect(std::isfinite(number) ? std::strtod(written.c_str(), nullptr) == number
                                 : written == "null",
           "a number reads back");

    const std::size_t list_count = bytes.below(3);
    const std::string_view block = bytes.rest();
    const std::array<std::string, 2> lists{"references", "documents"};
    const std::array<std::string, 1> refused{"metrics"};
    std::deque<std::string> unescaped;
    rubrica::has_unique_keys(block);
    const auto rows =
        rubrica::parse_json_rows(block, std::span(lists).first(list_count), refused, unescaped);
    if (!rows) return;
    const std::size_t count = rows->summaries.size();
    expect(rows->instance_ids.size() == count && rows->summarizer_ids.size() == count &&
               rows->summarizer_types.size() == count,
           "columns of one length");
    for (const auto& column : rows->lists) {
        expect(column.size() == count, "a list per row");
        expect(std::is_sorted(column.ends.begin(), column.ends.end()), "lists in order");
        expect(count == 0 || column.ends.back() == column.texts.size(), "every text in a list");
    }
    std::string again;
    for (std::size_t row = 0; row < count; ++row) {
        again += R"({"instance_id":)";
        rubrica::append_json_text(again, rows->instance_ids.texts[row]);
        again += R"(,"summarizer_id":)";
        rubrica::append_json_text(again, rows->summarizer_ids.texts[row]);
        again += R"(,"summarizer_type":)";
        rubrica::append_json_text(again, rows->summarizer_types.texts[row]);
        again += R"(,"summary":)";
        rubrica::append_json_text(again, rows->summaries.texts[row]);
        again += "}\n";
    }
    std::deque<std::string> more;
    const auto parsed = rubrica::parse_json_rows(again, {}, {}, more);
    expect(parsed && parsed->instance_ids.texts == rows->instance_ids.texts &&
               parsed->summaries.texts == rows->summaries.texts,
           "rows that are written read back");
}

[[maybe_unused]] void fuzz_stems(Bytes& bytes) {
    const std::string word(bytes.rest().substr(0, 60));
    for (const auto name :
         {"porter-1980", "porter", "porter-nltk", "porter-rouge", "porter2", "porter2-nltk"}) {
        // As long as the word, so that the sanitizer sees a step beside it.
        std::vector<char> copy(word.begin(), word.end());
        const std::size_t length =
            rubrica::stem(rubrica::stemmer_named(name), copy.data(), copy.size());
        expect(length <= word.size(), "a stem grew");
    }
}

[[maybe_unused]] void fuzz_graphs(Bytes& bytes) {
    rubrica::GraphOptions options;
    options.min_n = 1 + bytes.below(4);
    options.max_n = options.min_n + bytes.below(3);
    options.window = 1 + bytes.below(5);
    std::vector<std::u16string> texts(1 + bytes.below(4));
    for (auto& text : texts) {
        text.resize(bytes.below(40));
        for (auto& letter : text) letter = static_cast<char16_t>(bytes.below(256) * 257);
    }
    const std::span<const std::u16string> references = std::span(texts).subspan(1);
    std::vector<double> out(3 * (1 + references.size()));
    rubrica::graph_similarities(options, std::span(texts).first(1), references, out.data());
    for (const double value : out) expect(value >= 0 && value <= 1 + 1e-9, "similarities to 1");
}

rubrica::NumberedWords cider_words(Bytes& bytes, auto& numbers) {
    rubrica::NumberedWords words(bytes.below(12));
    for (auto& word : words) {
        const std::string letters(bytes.below(20), static_cast<char>('a' + bytes.below(5)));
        word = numbers.number(letters);
    }
    return words;
}

[[maybe_unused]] void fuzz_cider(Bytes& bytes) {
    rubrica::CiderFrequencies frequencies(1 + bytes.below(5));
    for (std::size_t examples = bytes.below(4); examples > 0; --examples) {
        std::vector<rubrica::NumberedWords> references(bytes.below(3));
        for (auto& reference : references) reference = cider_words(bytes, frequencies);
        frequencies.add_example(references);
    }
    frequencies.finish();
    rubrica::CiderReader reader(frequencies);
    const auto a = reader.read(cider_words(bytes, reader));
    const auto b = reader.read(cider_words(bytes, reader));
    const double score = rubrica::cider_similarity(a, b, 6.0);
    expect(score >= 0 && score <= 10 + 1e-9, "CIDEr lies between 0 and 10");
}

[[maybe_unused]] void fuzz_soft_matches(Bytes& bytes) {
    const std::size_t words = 1 + bytes.below(6), dimensions = bytes.below(5);
    std::vector<double> values(words * dimensions);
    for (double& value : values) value = bytes.finite();
    std::vector<std::uint8_t> known(words);
    for (auto& flag : known) flag = static_cast<std::uint8_t>(bytes.below(2));
    const auto summary = word_numbers(bytes, words, 20);
    const auto reference = word_numbers(bytes, words, 20);
    const auto found = rubrica::soft_matches(summary, reference, 1 + bytes.below(4),
                                             {dimensions, values, known}, bytes.finite());
    expect(found.matches >= 0 && found.matches <= std::min(found.reference, found.summary),
           "more matches than n-grams");
}

[[maybe_unused]] void fuzz_ter(Bytes& bytes) {
    const std::size_t words = 1 + bytes.below(12);
    const std::size_t most = bytes.below(16) == 0 ? 60 : 10;  // shifts take cubic time
    const auto summary = word_numbers(bytes, words, most);
    const auto reference = word_numbers(bytes, words, most);
    const auto own = static_cast<std::int64_t>(summary.size());
    const auto other = static_cast<std::int64_t>(reference.size());
    const std::int64_t edits = rubrica::ter_edits(summary, reference);
    expect(edits >= std::abs(own - other) && edits <= own + other, "as many edits as words");
    expect((edits == 0) == (summary == reference), "no edits between equal texts only");
}

// Correlations of random tables with ties, gaps and huge numbers lie between -1 and 1, or are NaN; so do
// those of resamples and exchanges, and threads change nothing.
[[maybe_unused]] void fuzz_tables(Bytes& bytes) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::size_t kinds = 2, systems = 1 + bytes.below(9), inputs = 1 + bytes.below(9);
    const std::size_t cells = systems * inputs, rounds = 1 + bytes.below(20);
    std::vector<double> metrics(kinds * cells), human(cells);
    for (double& value : metrics) value = bytes.finite();
    for (double& value : human) value = bytes.finite();
    const std::size_t gaps = bytes.below(4);
    for (std::size_t i = 0; gaps != 0 && i < cells; ++i) {
        if (bytes.below(4) >= gaps) continue;
        human[i] = nan;
        for (std::size_t m = 0; m < kinds; ++m) metrics[m * cells + i] = nan;
    }
    const rubrica::Scores scores{metrics.data(), human.data(), kinds, systems, inputs};
    const auto level = static_cast<rubrica::Level>(bytes.below(3));
    const auto coefficient = static_cast<rubrica::Coefficient>(bytes.below(5));
    const bool zero = bytes.below(2) != 0;
    const auto check = [](const std::vector<double>& values) {
        for (const double value : values)
            expect(std::isnan(value) || std::abs(value) <= 1 + 1e-9, "correlations up to 1");
    };
    std::vector<double> columns(kinds * inputs);
    rubrica::column_correlations(scores, coefficient, columns.data());
    check(columns);

    std::vector<std::int32_t> system_counts(rounds * systems), input_counts(rounds * inputs);
    rubrica::bootstrap_counts(systems, 0, rounds, 1, 0, system_counts.data());
    rubrica::bootstrap_counts(inputs, 0, rounds, 1, systems, input_counts.data());
    std::vector<double> resampled(rounds * kinds);
    rubrica::resampled_correlations(scores, level, coefficient, system_counts.data(),
                                    input_counts.data(), rounds, zero, 1, resampled.data());
    check(resampled);

    std::vector<std::uint8_t> swaps(rounds * cells);
    rubrica::swap_masks(systems, inputs, static_cast<rubrica::SwapScheme>(bytes.below(4)), 0,
                        rounds, bytes.below(256), swaps.data());
    const std::int64_t pairs[] = {0, 1};
    std::vector<double> swapped(rounds * 2);
    rubrica::swapped_correlations(scores, level, coefficient, pairs, 1, swaps.data(), rounds, zero,
                                  1, swapped.data());
    check(swapped);
    if (bytes.below(8) != 0) return;  // starting threads costs more than all the rest
    std::vector<double> threaded(rounds * 2);
    rubrica::swapped_correlations(scores, level, coefficient, pairs, 1, swaps.data(), rounds, zero,
                                  2, threaded.data());
    expect(std::memcmp(swapped.data(), threaded.data(), swapped.size() * sizeof(double)) == 0,
           "threads change nothing");
}

[[maybe_unused]] void fuzz_draws(Bytes& bytes) {
    const std::size_t rows = bytes.below(40), columns = 1 + bytes.below(9);
    const std::size_t first = bytes.below(5), rounds = bytes.below(9);
    std::vector<double> values(rows * columns, 1.0), sums(rounds * columns);
    if (rows > 0) {
        rubrica::bootstrap_sums(values.data(), rows, columns, first, rounds, bytes.below(256),
                                sums.data());
        for (const double sum : sums)
            expect(sum == static_cast<double>(rows), "as many draws as rows");
        std::vector<std::int32_t> counts(rounds * rows);
        rubrica::bootstrap_counts(rows, first, rounds, bytes.below(256), bytes.below(9),
                                  counts.data());
        for (std::size_t round = 0; round < rounds; ++round) {
            std::int64_t drawn = 0;
            for (std::size_t i = 0; i < rows; ++i) drawn += counts[round * rows + i];
            expect(drawn == static_cast<std::int64_t>(rows), "as many draws as things");
        }
    }
}

// Any bytes are a summary, a zero byte, a reference, with any choice of options. fuzz_rouge.cpp compares with the
// plain definitions; this is for numbers of inputs that those are too slow for.
[[maybe_unused]] void fuzz_rouge(Bytes& bytes) {
    rubrica::RougeOptions options;
    options.tokens = bytes.below(2) != 0 ? rubrica::Tokens::ascii : rubrica::Tokens::lower;
    constexpr rubrica::Stemmer stemmers[] = {rubrica::Stemmer::none, rubrica::Stemmer::porter_nltk,
                                             rubrica::Stemmer::porter_rouge};
    options.stemmer = stemmers[bytes.below(3)];
    options.exceptions = false;
    options.newline_units = bytes.below(2) != 0;
    switch (bytes.below(4)) {
        case 0: options.limit.bytes = 1 + bytes.below(60); break;
        case 1: options.limit.words = 1 + bytes.below(20); break;
        default: break;
    }
    options.ngrams = {1, 2 + bytes.below(9)};
    options.lcs = options.lcs_union = true;
    options.wlcs_weight = 1.0 + static_cast<double>(bytes.below(30)) / 10;
    const rubrica::Gap gap = bytes.below(2) != 0 ? rubrica::Gap{} : rubrica::Gap{bytes.below(6)};
    options.skip_gaps = options.skip_unigram_gaps = {gap};
    const std::string_view summary = bytes.rest().substr(0, bytes.rest().find('\0'));
    const std::string_view reference =
        bytes.rest().substr(std::min(bytes.rest().size(), summary.size() + 1));
    const rubrica::RawText texts[] = {{{&summary, 1}, {}, true}, {{&reference, 1}, {}, true}};
    const rubrica::Pair pairs[] = {{0, 1}, {1, 0}, {0, 0}};
    const std::size_t measures = options.measures();
    std::vector<double> out(3 * measures * 3, -1);
    rubrica::rouge_counts(options, nullptr, texts, texts, pairs, 1, out.data());
    for (std::size_t i = 0; i < out.size(); i += 3) {
        expect(out[i] >= 0 && out[i] <= out[i + 1] * (1 + 1e-9), "more hits than there are");
    }
    const double* itself = out.data() + 2 * measures * 3;
    expect(itself[0] == itself[1] && itself[1] == itself[2], "a text is covered by itself");
    const double* turned = out.data() + measures * 3;
    expect(out[0] == turned[0] && out[1] == turned[2], "n-gram hits are symmetric");

    std::vector<double> exponents(measures, 1.0), scores(out.size());
    exponents.back() = 1.0 / 1.2;
    const rubrica::RougeFinish finish{static_cast<double>(bytes.below(5)) / 4, 0.0, 1.0, true, false};
    rubrica::rouge_scores(out.data(), 3, measures, exponents.data(), finish, scores.data());
    for (const double score : scores) expect(score >= 0, "no negative scores");
}

// Paths of the weighted LCS rise in both texts, match, and do not depend on the memory they may use.
[[maybe_unused]] void fuzz_paths(Bytes& bytes) {
    const std::size_t words = 1 + bytes.below(8), bound = bytes.below(8) == 0 ? 140 : 20;
    const double weight = 1.0 + static_cast<double>(bytes.below(40)) / 10;
    std::vector<std::uint32_t> reference(bytes.below(bound)), summary(bytes.below(bound));
    for (auto& word : reference) word = 1 + static_cast<std::uint32_t>(bytes.below(words));
    for (auto& word : summary) word = static_cast<std::uint32_t>(bytes.below(words + 1));
    std::vector<double> power(std::min(reference.size(), summary.size()) + 2);
    for (std::size_t k = 0; k < power.size(); ++k) power[k] = std::pow(static_cast<double>(k), weight);
    rubrica::WeightedLcs lcs;
    const auto path = lcs.path(reference, summary, power);
    expect(path == lcs.path(reference, summary, power, 1 + bytes.below(20)), "memory changes nothing");
    for (std::size_t k = 0; k < path.size(); ++k) {
        const auto [i, j] = path[k];
        expect(reference[i] == summary[j], "matches only");
        expect(k == 0 || (i < path[k - 1].first && j < path[k - 1].second), "the last first");
    }
    std::vector<std::uint8_t> marks(reference.size());
    lcs.mark(reference, summary, power, marks.data());
    expect(static_cast<std::size_t>(std::count(marks.begin(), marks.end(), 1)) == path.size(),
           "as many marks as matches");
}

// METEOR's alignments of random texts with random tables. Any number of an array may be wrong: then an error
// is fine, and so is a result.
[[maybe_unused]] void fuzz_meteor(Bytes& bytes) {
    const std::size_t vocabulary = 2 + bytes.below(10);
    const auto number = [&](std::size_t bound) { return static_cast<std::int32_t>(bytes.below(bound)); };
    std::vector<std::int64_t> starts{0}, synset_starts{0};
    std::vector<std::int32_t> words, stems, synsets, phrase_words;
    std::vector<std::uint8_t> function;
    for (std::size_t word = 0; word < vocabulary; ++word) {
        stems.push_back(number(vocabulary));
        function.push_back(static_cast<std::uint8_t>(bytes.below(2)));
        phrase_words.push_back(number(vocabulary + 1) - 1);
        for (std::size_t s = bytes.below(3); s > 0; --s) synsets.push_back(number(6));
        synset_starts.push_back(static_cast<std::int64_t>(synsets.size()));
    }
    for (std::size_t text = 0; text < 2; ++text) {
        for (std::size_t i = bytes.below(bytes.below(128) == 0 ? 140 : 10); i > 0; --i)
            words.push_back(number(vocabulary));
        starts.push_back(static_cast<std::int64_t>(words.size()));
    }
    // A tree whose nodes stand in the order of their parents.
    std::vector<std::int32_t> first_child, node_words{-1}, first_entry, entry_starts{0}, entry_words;
    for (std::size_t node = 0; node < node_words.size(); ++node) {
        first_child.push_back(static_cast<std::int32_t>(node_words.size()));
        first_entry.push_back(static_cast<std::int32_t>(entry_starts.size()) - 1);
        std::int32_t word = -1;
        for (std::size_t k = node_words.size() < 20 ? bytes.below(4) : 0; k > 0; --k)
            node_words.push_back(word += 1 + number(3));
        for (std::size_t e = bytes.below(3); e > 0; --e) {
            for (std::size_t w = bytes.below(4); w > 0; --w) entry_words.push_back(number(vocabulary));
            entry_starts.push_back(static_cast<std::int32_t>(entry_words.size()));
        }
    }
    first_child.push_back(static_cast<std::int32_t>(node_words.size()));
    first_entry.push_back(static_cast<std::int32_t>(entry_starts.size()) - 1);
    std::vector<rubrica::meteor::Pair> pairs{{0, 1}, {1, 0}, {0, 0}};

    bool wrong = false;
    constexpr std::int64_t values[] = {-1, 0, 1, 2, 7, 1000, INT32_MAX, INT32_MIN};
    const auto change = [&](auto& array) {
        if (bytes.below(40) != 1 || array.empty()) return;
        wrong = true;
        array[bytes.below(array.size())] =
            static_cast<std::remove_reference_t<decltype(array[0])>>(values[bytes.below(8)]);
    };
    change(starts), change(words), change(stems), change(synset_starts), change(synsets);
    change(first_child), change(node_words), change(first_entry), change(entry_starts);
    change(entry_words);
    if (bytes.below(40) == 1) pairs[0] = {values[bytes.below(8)], 0}, wrong = true;

    const rubrica::meteor::Texts texts{starts,        words,   function,    stems,
                                       synset_starts, synsets, phrase_words};
    const rubrica::meteor::Phrases phrases{first_child, node_words, first_entry, entry_starts,
                                           entry_words};
    constexpr std::size_t columns = rubrica::meteor::columns;
    std::vector<double> out(pairs.size() * columns, -1);
    try {
        rubrica::meteor::statistics(texts, phrases, pairs, 1 + bytes.below(4), 1, out.data());
    } catch (const std::invalid_argument&) {
        expect(wrong, "only what is wrong is refused");
        return;
    }
    if (wrong) return;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        const double* row = out.data() + p * columns;
        double matched = 0;
        for (std::size_t kind = 0; kind < 4; ++kind) {
            double own = 0;
            for (std::size_t m = 0; m < 4; ++m) own += row[4 * m + kind];
            expect(own <= row[16 + kind], "more words matched than there are");
            matched += own;
        }
        expect(row[columns - 1] <= matched, "more chunks than matched words");
        expect(p != 2 || matched == 2 * (row[16] + row[17]), "a text matches itself");
    }
}

// Sums of ROUGE-1.5.5's draws: whole numbers give the same both ways, and a printed number reads back.
[[maybe_unused]] void fuzz_rouge155(Bytes& bytes) {
    const std::size_t rows = 1 + bytes.below(300), columns = 1 + bytes.below(9);
    const std::size_t rounds = bytes.below(9), cells = rows * columns;
    std::vector<std::int32_t> whole(cells);
    for (auto& value : whole) value = static_cast<std::int32_t>(bytes.below(256)) * 8'388'607;
    const std::vector<double> values(whole.begin(), whole.end());
    std::vector<double> in_order(rounds * columns), counted(rounds * columns);
    rubrica::rouge155_bootstrap_sums(values.data(), rows, columns, rounds, 1, in_order.data());
    rubrica::rouge155_whole_sums(whole.data(), rows, columns, rounds, 1, counted.data());
    expect(in_order == counted, "both orders give the same sums");

    const double number = bytes.number();
    double printed;
    rubrica::round5(&number, 1, &printed);
    char text[400];
    std::snprintf(text, sizeof text, "%.5f", number);
    const double read = std::strtod(text, nullptr);
    expect(std::isnan(number) ? std::isnan(printed) : printed == read, "what is printed");
}

// Keys that came before, and numbers of keys, as a map has them.
[[maybe_unused]] void fuzz_keys(Bytes& bytes) {
    rubrica::KeyIndex index;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> known;
    for (std::size_t blocks = bytes.below(8); blocks > 0; --blocks) {
        std::vector<rubrica::Key> keys(bytes.below(40));
        for (auto& key : keys) key = {bytes.below(3), bytes.below(200) << bytes.below(64)};
        const auto again = index.add(keys.data(), keys.size());
        std::size_t place = 0;
        for (; place < keys.size(); ++place) {
            const auto [entry, is_new] =
                known.try_emplace({keys[place].high, keys[place].low}, known.size());
            if (is_new) continue;
            expect(again && again->place == place && again->earlier == entry->second, "seen before");
            break;
        }
        expect(again.has_value() == (place < keys.size()) && index.size() == known.size(), "all new");
    }
    rubrica::KeyNumbers numbers;
    std::map<std::uint64_t, std::uint32_t> places;
    for (std::size_t count = bytes.below(200); count > 0; --count) {
        const std::uint64_t key = bytes.below(256) << bytes.below(57);
        expect(numbers.find(key).has_value() == places.contains(key), "found if it is there");
        const auto next = static_cast<std::uint32_t>(places.size());
        expect(numbers.number(key) == places.try_emplace(key, next).first->second, "its number");
    }
}

// Texts as columns: what UTF-8 is by its definition, distinct texts by comparison, digests of every length.
[[maybe_unused]] void fuzz_texts(Bytes& bytes) {
    std::vector<std::uint8_t> digest(1 + bytes.below(64)), other(digest.size());
    const std::string_view text = bytes.rest();
    bool valid = true;
    for (std::size_t at = 0; at < text.size() && valid;) {
        const auto first = static_cast<unsigned char>(text[at]);
        const std::size_t length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2
                                 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
        std::uint32_t code = length == 1 ? first : first & (0x7f >> length);
        valid = length != 0 && at + length <= text.size();
        for (std::size_t i = 1; valid && i < length; ++i) {
            const auto next = static_cast<unsigned char>(text[at + i]);
            valid = (next & 0xc0) == 0x80;
            code = code << 6 | (next & 0x3f);
        }
        constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        valid = valid && code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        at += length;
    }
    expect(rubrica::is_utf8(text) == valid, "UTF-8");
    expect(rubrica::is_ascii(text) == std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; }),
           "ASCII");
    rubrica::TextColumn column;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
        end = std::min(text.find('e', at), text.size());
        column.texts.push_back(text.substr(at, end - at));
    }
    const rubrica::Distinct found = rubrica::distinct(column);
    for (std::size_t i = 0; i < column.size(); ++i)
        expect(column.texts[found.first[found.place[i]]] == column.texts[i], "its equal");

    const auto* data = reinterpret_cast<const std::uint8_t*>(text.data());
    rubrica::blake2b({data, text.size()}, digest);
    std::vector<std::uint8_t> copy(data, data + text.size());
    rubrica::blake2b(copy, other);
    expect(digest == other, "equal texts have equal digests");
    if (copy.empty() || digest.size() < 16) return;
    copy[text.size() / 2] ^= 1;
    rubrica::blake2b(copy, other);
    expect(digest != other, "other texts have other digests");
}

// Exchanges between metrics by sums of units: their size is bounded where nothing was cancelled, and threads change
// nothing.
[[maybe_unused]] void fuzz_exchanges(Bytes& bytes) {
    const std::size_t kinds = 2, units = 1 + bytes.below(8), columns = 1 + bytes.below(6);
    const std::size_t rounds = 1 + bytes.below(20);
    std::vector<double> z(units * columns), tables(3 * kinds * units * columns), points(columns);
    for (double& value : points) value = static_cast<double>(units);
    for (std::size_t j = 0; j < columns; ++j) {
        double sum = 0, squares = 0;
        for (std::size_t u = 0; u < units; ++u) sum += z[u * columns + j] = bytes.finite();
        for (std::size_t u = 0; u < units; ++u) {
            double& value = z[u * columns + j];
            value -= sum / static_cast<double>(units);
            squares += value * value;
        }
        const double norm = std::sqrt(squares);
        const bool usable = norm > 1e-100 && norm < 1e100;  // the caller scales them
        for (std::size_t u = 0; u < units; ++u) {
            double& value = z[u * columns + j];
            value = usable ? value / norm : 0.0;
        }
    }
    const std::size_t cells = units * columns;
    bool large = false;
    for (std::size_t m = 0; m < kinds; ++m) {
        for (std::size_t i = 0; i < cells; ++i) {
            const double x = bytes.finite();
            large = large || std::abs(x) > 1e100 || (x != 0 && std::abs(x) < 1e-100);
            tables[m * cells + i] = x;
            tables[(kinds + m) * cells + i] = x * x;
            tables[(2 * kinds + m) * cells + i] = x * z[i];
        }
    }
    std::vector<std::uint8_t> swaps(rounds * cells);
    for (auto& swap : swaps) swap = static_cast<std::uint8_t>(bytes.below(2));
    const rubrica::Moments moments{tables.data(), points.data(), kinds, units, columns};
    const std::int64_t pairs[] = {0, 1};
    std::vector<double> values(rounds), again(rounds);
    std::uint8_t cancelled = 0;
    rubrica::exchanged_pearson(moments, pairs, 1, swaps.data(), rounds, 1, values.data(), &cancelled);
    for (const double value : values) {
        expect(cancelled != 0 || large || std::isnan(value) ||
                   std::abs(value) <= 2.001 * static_cast<double>(columns),
               "differences of correlations");
    }
    if (bytes.below(8) != 0) return;  // as for tables
    rubrica::exchanged_pearson(moments, pairs, 1, swaps.data(), rounds, 2, again.data(), &cancelled);
    expect(std::memcmp(values.data(), again.data(), rounds * sizeof(double)) == 0, "threads change nothing");
}

#define RUBRICA_JOIN_(a, b) a##b
#define RUBRICA_JOIN(a, b) RUBRICA_JOIN_(a, b)
#define RUBRICA_TEXT_(a) #a
#define RUBRICA_TEXT(a) RUBRICA_TEXT_(a)

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 4096) return 0;
    Bytes bytes(data, size);
    RUBRICA_JOIN(fuzz_, FAMILY)(bytes);
    return 0;
}

#ifdef RUBRICA_STANDALONE
#include "fuzz_main.hpp"

int main(int argc, char** argv) {
    // Three bytes for a number and the count of lists, then rows; random bytes are never rows.
    std::string seed = "\1\1\1";
    for (int row = 0; row < 2; ++row) {
        seed += R"({"instance_id":"d1","summarizer_id":"a\u00e9","summarizer_type":"peer",)";
        seed += R"("summary":"The \"cat\" sat.","references":["One.","Two\n"],"x":[1,2.5e3,{"y":null}]})";
        seed += '\n';
    }
    const bool rows = std::string_view(RUBRICA_TEXT(FAMILY)) == "rows";
    return run_standalone(argc, argv, rows ? seed : "", 2000);
}
#endif
