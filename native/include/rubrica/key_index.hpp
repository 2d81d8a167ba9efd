// Which 64-bit keys came before: about 16 bytes for each, where a set of Python numbers takes 100.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rubrica {

class KeyIndex {
public:
    struct Again {
        std::size_t place;    // among the keys just given
        std::size_t earlier;  // the number of the key it is equal to, counted over all
    };

    // Takes keys in, up to the first that is there already. The keys are hashes: their bits are random.
    std::optional<Again> add(const std::uint64_t* keys, std::size_t count);

    std::size_t size() const { return keys_.size(); }

private:
    void grow();

    // In the order in which they came; a deque grows without being copied.
    std::deque<std::uint64_t> keys_;
    // Open addressing: the number of a key plus 1, or 0.
    std::vector<std::uint32_t> slots_;
};

}  // namespace rubrica
