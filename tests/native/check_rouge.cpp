// The kernels against their plain definitions on random texts; run under sanitizers by
// native/check.sh. Arguments: seed, number of pairs.
#include <random>
#include <string>

#include "judge.hpp"
#include "rubrica/lcs.hpp"
#include "rubrica/rouge155.hpp"
#include "rubrica/wlcs.hpp"

namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) { return random() % n; }

std::string random_text(Random& random) {
    constexpr std::size_t lengths[] = {0, 1, 5, 20, 64, 65, 130, 600};
    const std::size_t length = lengths[below(random, std::size(lengths))];
    const std::size_t words = below(random, 2) ? 3 : 60, unit = 1 + below(random, 100);
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
        if (below(random, 50) == 0) text += static_cast<char>(random());
        if (below(random, 90) == 0) text += std::string(below(random, 40), 'Q');
        text +=
            static_cast<char>((below(random, 2) ? 'a' : 'A') + static_cast<int>(below(random, 3)));
        text += std::to_string(below(random, words));
        text += below(random, unit) == 0 ? '\n' : ' ';
    }
    return text;
}

// Traces that are made again from checkpoints mark the same words.
void check_checkpoints(Random& random) {
    std::vector<std::uint32_t> reference(1 + below(random, 2000)), summary(1 + below(random, 300));
    const std::size_t distinct = 1 + below(random, 40);
    for (auto& word : reference) word = static_cast<std::uint32_t>(1 + below(random, distinct));
    for (auto& word : summary) word = static_cast<std::uint32_t>(below(random, distinct + 1));

    rubrica::MatchRows rows;
    rows.build(reference, distinct);
    std::vector<std::uint64_t> table, checkpoints, once(rows.blocks(), 0), again(rows.blocks(), 0);
    rubrica::mark_lcs(rows, reference, summary, once.data(), table, checkpoints);
    table.clear();
    rubrica::mark_lcs(rows, reference, summary, again.data(), table, checkpoints, 1);
    if (once != again) expect(0, 1, "checkpoints of the LCS");

    std::vector<double> power;
    for (std::size_t k = 0; k <= reference.size() + 1; ++k) power.push_back(std::pow(k, 1.2));
    std::vector<std::uint8_t> marks(reference.size(), 0), same(reference.size(), 0);
    rubrica::WeightedLcs weighted;
    weighted.mark(reference, summary, power, marks.data());
    for (const std::size_t most : {1, 7, 100}) {
        weighted.mark(reference, summary, power, same.data(), most);
        if (marks != same) expect(0, 1, "checkpoints of the weighted LCS");
        std::vector<std::uint8_t> on_path(reference.size(), 0);
        for (const auto& [i, j] : weighted.path(reference, summary, power, most)) {
            on_path[i] = 1;
            expect(reference[i], summary[j], "words on the path of the weighted LCS");
        }
        if (marks != on_path) expect(0, 1, "the path of the weighted LCS");
    }
}

void check_limits(Random& random, const std::string& a, const std::string& b) {
    rubrica::RougeOptions options = every_measure();
    (below(random, 2) ? options.limit.words : options.limit.bytes) = 1 + below(random, 60);
    options.tokens = below(random, 2) ? rubrica::Tokens::ascii : rubrica::Tokens::lower;
    kernel_counts(options, a, b, 2);
}

void check_rounding(Random& random) {
    for (int i = 0; i < 2000; ++i) {
        const double value = i < 1000 ? static_cast<double>(random()) * 0x1p-64
                                      : static_cast<double>(below(random, 200001)) / 200000 - 0.2;
        double rounded = 0;
        rubrica::round5(&value, 1, &rounded);
        char text[64];
        std::snprintf(text, sizeof text, "%.5f", value);
        expect(rounded, std::strtod(text, nullptr), "round5");
    }
}

}  // namespace

int main(int argc, char** argv) {
    Random random(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1);
    const int pairs = argc > 2 ? std::atoi(argv[2]) : 300;
    for (int i = 0; i < pairs; ++i) {
        const std::string a = random_text(random), b = random_text(random);
        judge(a, b);
        const auto options = every_measure();
        if (kernel_counts(options, a, b, 1) != kernel_counts(options, a, b, 3)) {
            expect(1, 3, "number of threads");
        }
        check_limits(random, a, b);
        check_checkpoints(random);
    }
    check_rounding(random);
    std::printf("%d pairs, no difference\n", pairs);
}
