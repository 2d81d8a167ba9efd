#include <algorithm>

#include "rubrica/bits.hpp"
#include "rubrica/lcs.hpp"

namespace rubrica {
namespace {

// The trace back of all units at once. `path` has one bit per unit: its current row, in reversed
// order, so that "up" is towards higher bits. Adding it to the rows that say "up" carries each bit
// to the first row that does not: a match (mark it and go on one row further up, one column to
// the left) or a rise (stay in the row, one column to the left). Paths that leave their unit land
// on an unused bit and end.
template <std::size_t blocks>
void mark_units(const UnionBlocks& given, WordIds columns, WordIds ends,
                std::vector<std::uint64_t>& table) {
    std::uint64_t used[blocks], used_reversed[blocks], marks[blocks] = {};
    for (std::size_t b = 0; b < blocks; ++b) {
        used[b] = given.used[b];
        used_reversed[b] = reversed(used[b]);
    }
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends) {
        if (table.size() < (end - begin) * blocks) table.resize((end - begin) * blocks);
        std::uint64_t column[blocks], path[blocks];
        for (std::size_t b = 0; b < blocks; ++b) {
            column[b] = used[b];
            path[b] = given.last[b];
        }
        std::uint64_t* stored = table.data();
        for (std::uint32_t c = begin; c < end; ++c, stored += blocks) {
            const std::uint64_t* match = given.rows + columns[c] * (2 * blocks);
            for (std::size_t b = 0; b < blocks; ++b) {
                const std::uint64_t x = column[b], m = match[b];
                column[b] = ((x + (x & m)) | (x & ~m)) & used[b];
                stored[b] = column[b];
            }
        }
        for (std::uint32_t c = end; c-- > begin;) {
            stored -= blocks;
            const std::uint64_t* match = given.rows + columns[c] * (2 * blocks) + blocks;
            for (std::size_t b = 0; b < blocks; ++b) {
                const std::uint64_t m = match[b], up = reversed(stored[b]) & ~m;
                const std::uint64_t stop = (up + path[b]) & ~up, hit = stop & m;
                marks[b] |= hit;
                path[b] = ((hit << 1) | (stop & ~m)) & used_reversed[b];
            }
        }
        begin = end;
    }
    for (std::size_t b = 0; b < blocks; ++b) given.marks[b] |= reversed(marks[b]);
}

}  // namespace

void mark_union_blocks(const UnionBlocks& given, WordIds columns, WordIds ends,
                       std::vector<std::uint64_t>& table) {
    switch (given.blocks) {
        case 1: return mark_units<1>(given, columns, ends, table);
        case 2: return mark_units<2>(given, columns, ends, table);
        case 3: return mark_units<3>(given, columns, ends, table);
        case 4: return mark_units<4>(given, columns, ends, table);
        case 5: return mark_units<5>(given, columns, ends, table);
        case 6: return mark_units<6>(given, columns, ends, table);
        case 7: return mark_units<7>(given, columns, ends, table);
        default: return mark_units<8>(given, columns, ends, table);
    }
}

}  // namespace rubrica
