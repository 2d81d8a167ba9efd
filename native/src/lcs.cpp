#include "rubrica/lcs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "rubrica/bits.hpp"

namespace rubrica {
namespace {

void advance(const MatchRows& rows, std::uint32_t word, std::uint64_t* column) {
    if (word == 0) return;
    if (rows.all_dense()) {
        lcs_advance_dense(rows.dense(word), rows.blocks(), column);
    } else if (const std::uint64_t* dense = rows.dense_or_null(word)) {
        lcs_advance_dense(dense, rows.blocks(), column);
    } else {
        lcs_advance_sparse(rows.entries(word), rows.blocks(), column);
    }
}

// Follows the path from row `row` (one past it) through the column of `word`, up to where it
// leaves to the left; returns the row (again one past) it goes on from, 0 when it has ended.
std::size_t trace_column(const MatchRows& rows, WordIds reference, std::uint32_t word,
                         const std::uint64_t* column, std::size_t row, std::uint64_t* marks) {
    // The nearest rise at or above the current row, unless a match comes first.
    std::size_t b = (row - 1) / 64;
    std::uint64_t open = low_bits((row - 1) % 64 + 1);
    for (;; --b, open = ~std::uint64_t{0}) {
        const std::uint64_t matches = word == 0 ? 0 : rows.block(word, b);
        const std::uint64_t stops = (~column[b] | matches) & open;
        if (stops != 0) {
            const std::size_t bit = 63 - static_cast<std::size_t>(std::countl_zero(stops));
            const std::size_t at = b * 64 + bit;
            if (reference[at] != word) return at + 1;
            marks[b] |= std::uint64_t{1} << bit;
            return at;
        }
        if (b == 0) return 0;
    }
}

}  // namespace

std::size_t lcs_length(const MatchRows& rows, WordIds summary, std::vector<std::uint64_t>& column) {
    if (rows.blocks() == 1) {
        std::uint64_t x = ~std::uint64_t{0};
        for (const std::uint32_t word : summary) {
            const std::uint64_t m = *rows.dense(word);
            x = (x + (x & m)) | (x & ~m);
        }
        return static_cast<std::size_t>(std::popcount(~x));
    }
    column.assign(rows.blocks(), ~std::uint64_t{0});
    for (const std::uint32_t word : summary) advance(rows, word, column.data());
    std::size_t rises = 0;
    for (const std::uint64_t block : column) {
        rises += static_cast<std::size_t>(std::popcount(~block));
    }
    return rises;
}

void mark_lcs(const MatchRows& rows, WordIds reference, WordIds summary, std::uint64_t* marks,
              std::vector<std::uint64_t>& table, std::vector<std::uint64_t>& checkpoints,
              std::size_t most) {
    const std::size_t width = rows.blocks(), columns = summary.size();
    std::size_t step = columns;
    if (columns * width > most) {
        step = static_cast<std::size_t>(std::sqrt(static_cast<double>(columns))) + 1;
    }
    if (columns == 0 || reference.empty()) return;

    // The column before each stretch of `step` columns.
    std::vector<std::uint64_t> column(width, ~std::uint64_t{0});
    checkpoints.assign(column.begin(), column.end());
    const std::size_t last_begin = (columns - 1) / step * step;
    for (std::size_t c = 0; c < last_begin; ++c) {
        advance(rows, summary[c], column.data());
        if ((c + 1) % step == 0)
            checkpoints.insert(checkpoints.end(), column.begin(), column.end());
    }
    table.resize(std::max(table.size(), step * width));
    std::size_t row = reference.size();
    for (std::size_t begin = last_begin;; begin -= step) {
        const std::size_t end = std::min(columns, begin + step);
        std::copy_n(checkpoints.data() + begin / step * width, width, column.begin());
        for (std::size_t c = begin; c < end; ++c) {
            advance(rows, summary[c], column.data());
            std::copy(column.begin(), column.end(), table.data() + (c - begin) * width);
        }
        for (std::size_t c = end; c-- > begin && row != 0;) {
            row = trace_column(rows, reference, summary[c], table.data() + (c - begin) * width, row,
                               marks);
        }
        if (begin == 0 || row == 0) return;
    }
}

}  // namespace rubrica
