// Bootstrap sums against sums taken draw by draw, and counts beyond what a byte holds; run under
// sanitizers by native/check.sh. Argument: seed.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "rubrica/draw_counts.hpp"
#include "rubrica/random.hpp"
#include "rubrica/resample.hpp"
#include "rubrica/rouge155_bootstrap.hpp"

namespace {

using Random = std::mt19937_64;

void expect(bool met, const char* what) {
    if (met) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

void check_table(Random& random, std::size_t rows, std::size_t columns, std::size_t rounds) {
    std::vector<std::int32_t> whole(rows * columns);
    for (std::int32_t& one : whole) one = static_cast<std::int32_t>(random() % 100001);
    const std::vector<double> values(whole.begin(), whole.end());
    std::vector<double> ordered(rounds * columns), counted(rounds * columns), ours(rounds * columns);
    rubrica::rouge155_bootstrap_sums(values.data(), rows, columns, rounds, 3, ordered.data());
    rubrica::rouge155_whole_sums(whole.data(), rows, columns, rounds, 3, counted.data());
    expect(ordered == counted, "counted draws differ from those taken in order");
    const std::uint64_t seed = random();
    rubrica::bootstrap_sums(values.data(), rows, columns, 5, rounds, seed, ours.data());
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<double> sums(columns, 0.0);
        const std::uint64_t key = rubrica::stream_key(seed, 5 + round);
        for (std::size_t i = 0; i < rows; ++i) {
            const auto row = static_cast<std::size_t>(rubrica::uniform(key, i) *
                                                      static_cast<double>(rows));
            for (std::size_t c = 0; c < columns; ++c) sums[c] += values[row * columns + c];
        }
        for (std::size_t c = 0; c < columns; ++c) {
            expect(ours[round * columns + c] == sums[c], "our draws differ");
        }
    }
}

void check_counts_beyond_a_byte() {
    rubrica::DrawCounts counts(300);
    const std::vector<std::uint32_t> same(700, 299);
    counts.draw(2, same.data(), same.size());
    std::vector<double> values(300, 0.0), sums(rubrica::DrawCounts::rounds);
    values[299] = 3.0;
    counts.sums(values.data(), 1, sums.data());
    expect(sums == std::vector<double>({0, 0, 2100, 0}), "700 draws of one row");
    counts.clear();
    counts.sums(values.data(), 1, sums.data());
    expect(sums == std::vector<double>({0, 0, 0, 0}), "cleared counts");
}

}  // namespace

int main(int count, char** words) {
    Random random(count > 1 ? std::strtoull(words[1], nullptr, 10) : 1);
    check_counts_beyond_a_byte();
    for (const std::size_t rows : {0, 1, 2, 3, 5, 127, 128, 129, 256, 257, 1000}) {
        for (const std::size_t columns : {1, 2, 3, 6, 21}) {
            check_table(random, rows, columns, 1 + random() % 13);
        }
    }
    std::puts("bootstrap sums: as drawn one by one");
}
