// Fuzzing of the kernels beside ROUGE's, a program for each FAMILY: rows, stems, graphs, cider, soft_matches, ter,
// tables or draws. Crashes, sanitizer reports and results that break a rule stop it. With clang:
// -fsanitize=fuzzer; elsewhere -DRUBRICA_STANDALONE gives a main with random mutations.
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
#include <string>
#include <string_view>
#include <vector>

#include "rubrica/cider.hpp"
#include "rubrica/correlate.hpp"
#include "rubrica/draws.hpp"
#include "rubrica/graph.hpp"
#include "rubrica/json_rows.hpp"
#include "rubrica/resample.hpp"
#include "rubrica/soft_matches.hpp"
#include "rubrica/stem.hpp"
#include "rubrica/ter.hpp"

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

rubrica::WordIds cider_words(Bytes& bytes, auto& numbers) {
    rubrica::WordIds words(bytes.below(12));
    for (auto& word : words) {
        const std::string letters(bytes.below(20), static_cast<char>('a' + bytes.below(5)));
        word = numbers.number(letters);
    }
    return words;
}

[[maybe_unused]] void fuzz_cider(Bytes& bytes) {
    rubrica::CiderFrequencies frequencies(1 + bytes.below(5));
    for (std::size_t examples = bytes.below(4); examples > 0; --examples) {
        std::vector<rubrica::WordIds> references(bytes.below(3));
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
    const auto summary = word_numbers(bytes, words, 60);
    const auto reference = word_numbers(bytes, words, 60);
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
    std::vector<double> swapped(rounds * 2), threaded(rounds * 2);
    rubrica::swapped_correlations(scores, level, coefficient, pairs, 1, swaps.data(), rounds, zero,
                                  1, swapped.data());
    check(swapped);
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

#define RUBRICA_JOIN_(a, b) a##b
#define RUBRICA_JOIN(a, b) RUBRICA_JOIN_(a, b)

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
    // Three bytes for a number and the count of lists, then rows.
    std::string seed = "\1\1\1";
    for (int row = 0; row < 2; ++row) {
        seed += R"({"instance_id":"d1","summarizer_id":"a\u00e9","summarizer_type":"peer",)";
        seed += R"("summary":"The \"cat\" sat.","references":["One.","Two\n"],"x":[1,2.5e3,{"y":null}]})";
        seed += '\n';
    }
    return run_standalone(argc, argv, seed, 2000);
}
#endif
