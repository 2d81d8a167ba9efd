// BLAKE2b (RFC 7693) without a key, for digests of texts and ids.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace rubrica {

// Writes `out.size()` bytes (at most 64), the digest of that size.
void blake2b(std::span<const std::uint8_t> data, std::span<std::uint8_t> out);

}  // namespace rubrica
