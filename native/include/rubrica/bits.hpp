// Small things about 64-bit words that <bit> lacks.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rubrica {

// The lowest n bits set, n <= 64.
constexpr std::uint64_t low_bits(std::size_t n) {
    return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

// The bits in the opposite order.
constexpr std::uint64_t reversed(std::uint64_t x) {
    x = ((x >> 1) & 0x5555555555555555ull) | ((x & 0x5555555555555555ull) << 1);
    x = ((x >> 2) & 0x3333333333333333ull) | ((x & 0x3333333333333333ull) << 2);
    x = ((x >> 4) & 0x0F0F0F0F0F0F0F0Full) | ((x & 0x0F0F0F0F0F0F0F0Full) << 4);
    x = ((x >> 8) & 0x00FF00FF00FF00FFull) | ((x & 0x00FF00FF00FF00FFull) << 8);
    x = ((x >> 16) & 0x0000FFFF0000FFFFull) | ((x & 0x0000FFFF0000FFFFull) << 16);
    return (x >> 32) | (x << 32);
}

// x + y + carry; the carry out replaces the carry in.
inline std::uint64_t add_carry(std::uint64_t x, std::uint64_t y, std::uint64_t& carry) {
    const std::uint64_t partial = x + y;
    const std::uint64_t sum = partial + carry;
    carry = static_cast<std::uint64_t>(partial < x) | static_cast<std::uint64_t>(sum < partial);
    return sum;
}

}  // namespace rubrica
