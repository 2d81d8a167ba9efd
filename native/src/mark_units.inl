// Included once for each kind of lane, inside a namespace that names one: compilers tie a
// function's instruction set to its text, so the text must be there once per set.
//
// The trace back of all units at once. `path` has one bit per unit: its current row, in reversed
// order, so that "up" is towards higher bits. Adding it to the rows that say "up" carries each bit
// to the first row that does not: a match (mark it, then one row further up and one column to the
// left) or a rise (the same row, one column to the left). Paths that leave their unit land on an
// unused bit and end there.
//
// `Lane` is what it is done with: one 64-bit block, or a vector of them. Blocks do not touch each
// other, so lanes need not either.
template <std::size_t lanes>
void mark_units(const UnionBlocks& given, WordIds columns, WordIds ends,
                std::vector<std::uint64_t>& table) {
    constexpr std::size_t stride = lanes * Lane::blocks;
    std::uint64_t padded_used[stride] = {}, padded_last[stride] = {}, padded_marks[stride];
    for (std::size_t b = 0; b < given.blocks; ++b) {
        padded_used[b] = given.used[b];
        padded_last[b] = given.last[b];
    }
    Lane used[lanes], used_reversed[lanes], last[lanes], marks[lanes];
    for (std::size_t k = 0; k < lanes; ++k) {
        used[k] = Lane::load(padded_used + k * Lane::blocks);
        used_reversed[k] = Lane::reversed(used[k]);
        last[k] = Lane::load(padded_last + k * Lane::blocks);
        marks[k] = Lane::zero();
    }
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends) {
        if (table.size() < (end - begin) * stride) table.resize((end - begin) * stride);
        Lane column[lanes], path[lanes];
        for (std::size_t k = 0; k < lanes; ++k) {
            column[k] = used[k];
            path[k] = last[k];
        }
        std::uint64_t* stored = table.data();
        for (std::uint32_t c = begin; c < end; ++c, stored += stride) {
            const std::uint64_t* match = given.rows + columns[c] * (2 * stride);
            for (std::size_t k = 0; k < lanes; ++k) {
                const Lane x = column[k], m = Lane::load(match + k * Lane::blocks);
                column[k] = ((x + (x & m)) | x.without(m)) & used[k];
                column[k].store(stored + k * Lane::blocks);
            }
        }
        for (std::uint32_t c = end; c-- > begin;) {
            stored -= stride;
            const std::uint64_t* match = given.rows + columns[c] * (2 * stride) + stride;
            for (std::size_t k = 0; k < lanes; ++k) {
                const Lane m = Lane::load(match + k * Lane::blocks);
                const Lane up = Lane::reversed(Lane::load(stored + k * Lane::blocks)).without(m);
                const Lane stop = (up + path[k]).without(up), hit = stop & m;
                marks[k] = marks[k] | hit;
                path[k] = (hit.moved_up() | stop.without(m)) & used_reversed[k];
            }
        }
        begin = end;
    }
    for (std::size_t k = 0; k < lanes; ++k) marks[k].store(padded_marks + k * Lane::blocks);
    for (std::size_t b = 0; b < given.blocks; ++b)
        given.marks[b] |= rubrica::reversed(padded_marks[b]);
}
