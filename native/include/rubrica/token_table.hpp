// A hash table from byte strings to numbers, made for words: keys of up to 16 bytes sit in the
// slot itself, so that most look-ups touch one cache line.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace rubrica {

// The bytes of a short key, zero-filled. Equal words have equal halves whatever the byte order.
struct ShortKey {
    std::uint64_t low, high;
};

inline std::uint64_t load64(const char* bytes) {
    std::uint64_t value;
    std::memcpy(&value, bytes, 8);
    return value;
}

// Keeps the first n bytes (n <= 8) of a loaded word, clears the rest.
constexpr std::uint64_t first_bytes(std::uint64_t value, std::size_t n) {
    if (n >= 8) return value;
    const std::uint64_t rest = ~std::uint64_t{0};
    return value &
           (std::endian::native == std::endian::little ? ~(rest << (8 * n)) : ~(rest >> (8 * n)));
}

// For any length up to 16; reading words of a text has a faster way.
inline ShortKey short_key(const char* bytes, std::size_t length) {
    char padded[16] = {};
    std::memcpy(padded, bytes, length);
    return {load64(padded), load64(padded + 8)};
}

class TokenTable {
public:
    static constexpr std::size_t short_length = 16;

    TokenTable() : slots_(min_slots), mask_(min_slots - 1), shift_(64 - min_bits) {}

    // The value of a key of at most 16 bytes, or null when it is new.
    const std::uint32_t* find(ShortKey key, std::size_t length) const {
        const auto tag = static_cast<std::uint32_t>(length) + 1;
        const Slot* slots = slots_.data();
        for (std::size_t i = hash(key) >> shift_;; i = (i + 1) & mask_) {
            const Slot& slot = slots[i];
            if (slot.low == key.low && slot.high == key.high && slot.tag == tag) return &slot.value;
            if (slot.tag == 0) return nullptr;
        }
    }

    // The same for a key of any length; long keys are compared in full.
    const std::uint32_t* find(const char* bytes, std::size_t length) const;

    // The key must be new.
    void insert(const char* bytes, std::size_t length, std::uint32_t value);

    std::size_t size() const { return size_; }
    std::size_t memory() const { return slots_.size() * sizeof(Slot) + long_keys_.size(); }

private:
    static constexpr unsigned min_bits = 10;
    static constexpr std::size_t min_slots = std::size_t{1} << min_bits;

    // A long key is kept as (hash of its bytes, place in long_keys_). tag: length + 1; 0 is free.
    struct Slot {
        std::uint64_t low = 0, high = 0;
        std::uint32_t tag = 0, value = 0;
    };

    // Good high bits are all that is asked: the slot number is taken from the top.
    static std::uint64_t hash(ShortKey key) {
        return (key.low ^ (key.high * 0x9E3779B97F4A7C15ull)) * 0xBF58476D1CE4E5B9ull;
    }

    void place(const Slot& slot, std::uint64_t hashed);
    void grow();
    std::uint64_t slot_hash(const Slot& slot) const;

    std::vector<Slot> slots_;
    std::size_t mask_, shift_;  // number of slots less 1; what a hash is moved down by
    std::size_t size_ = 0;
    std::vector<char> long_keys_;
};

}  // namespace rubrica
