// Which keys came before: about 25 bytes for each, where a set of Python's takes 100 and more.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rubrica {

// 128 bits of a hash: among a billion keys no two are equal by chance.
struct Key {
    std::uint64_t high, low;
    bool operator==(const Key&) const = default;
};

class KeyIndex {
public:
    struct Again {
        std::size_t place;    // among the keys just given
        std::size_t earlier;  // the number of the key it is equal to, counted over all
    };

    // Takes keys in, up to the first that is there already.
    std::optional<Again> add(const Key* keys, std::size_t count);

    std::size_t size() const { return keys_.size(); }

private:
    void grow();

    // In the order in which they came; a deque grows without being copied.
    std::deque<Key> keys_;
    // Open addressing: the number of a key plus 1, or 0.
    std::vector<std::uint32_t> slots_;
};

}  // namespace rubrica
