#include "rubrica/key_index.hpp"

#include <stdexcept>

namespace rubrica {

std::optional<KeyIndex::Again> KeyIndex::add(const Key* keys, std::size_t count) {
    for (std::size_t place = 0; place < count; ++place) {
        // At most three quarters are taken.
        if (4 * (keys_.size() + 1) > 3 * slots_.size()) grow();
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = keys[place].low & mask;
        for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
            if (keys_[slots_[slot] - 1] == keys[place]) return Again{place, slots_[slot] - 1};
        }
        keys_.push_back(keys[place]);
        slots_[slot] = static_cast<std::uint32_t>(keys_.size());
    }
    return std::nullopt;
}

void KeyIndex::grow() {
    if (slots_.size() > UINT32_MAX) throw std::length_error("more keys than can be numbered");
    std::vector<std::uint32_t> larger(slots_.empty() ? 1024 : 2 * slots_.size());
    const std::size_t mask = larger.size() - 1;
    std::uint32_t number = 0;
    for (const Key& key : keys_) {
        std::size_t slot = key.low & mask;
        while (larger[slot] != 0) slot = (slot + 1) & mask;
        larger[slot] = ++number;
    }
    slots_.swap(larger);
}

}  // namespace rubrica
