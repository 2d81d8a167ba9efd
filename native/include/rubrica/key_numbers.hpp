// Numbers 0, 1, 2, ... for 64-bit keys in order of arrival: open addressing, one cache line a look-up.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace rubrica {

class KeyNumbers {
public:
    // The key's number, a new one if it is new.
    std::uint32_t number(std::uint64_t key) {
        if (2 * static_cast<std::size_t>(size_) >= table_.size()) grow();
        Entry& entry = table_[slot(key)];
        if (entry.value == 0) {
            if (size_ >= UINT32_MAX - 1) throw std::length_error("the texts have too many n-grams");
            entry = {key, ++size_};
        }
        return entry.value - 1;
    }

    // The key's number, if it has one.
    std::optional<std::uint32_t> find(std::uint64_t key) const {
        if (table_.empty()) return std::nullopt;
        const Entry& entry = table_[slot(key)];
        if (entry.value == 0) return std::nullopt;
        return entry.value - 1;
    }

    std::uint32_t size() const { return size_; }

private:
    struct Entry {
        std::uint64_t key;
        std::uint32_t value;  // number + 1, or 0 for a free place
    };

    // Where the key is, or would be. The upper half of a product depends on all bits of the key.
    std::size_t slot(std::uint64_t key) const {
        const std::size_t mask = table_.size() - 1;
        std::size_t at =
            static_cast<std::size_t>((key ^ key >> 29) * 0x9E3779B97F4A7C15ULL >> 32) & mask;
        while (table_[at].value != 0 && table_[at].key != key) at = (at + 1) & mask;
        return at;
    }

    void grow() {
        const std::vector<Entry> before = std::exchange(
            table_, std::vector<Entry>(std::max<std::size_t>(1024, 2 * table_.size())));
        for (const Entry& entry : before) {
            if (entry.value != 0) table_[slot(entry.key)] = entry;
        }
    }

    std::vector<Entry> table_;
    std::uint32_t size_ = 0;
};

}  // namespace rubrica
