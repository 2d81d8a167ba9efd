#include "rubrica/token_table.hpp"

#include <stdexcept>

#include "rubrica/random.hpp"

namespace rubrica {
namespace {

std::uint64_t long_hash(const char* bytes, std::size_t length) {
    std::uint64_t x = length;
    for (; length >= 8; bytes += 8, length -= 8) x = mix64(x ^ load64(bytes));
    return mix64(x ^ short_key(bytes, length).low);
}

}  // namespace

const std::uint32_t* TokenTable::find(const char* bytes, std::size_t length) const {
    if (length <= short_length) return find(short_key(bytes, length), length);
    const std::uint64_t hashed = long_hash(bytes, length);
    const auto tag = static_cast<std::uint32_t>(length) + 1;
    for (std::size_t i = hashed >> shift_;; i = (i + 1) & mask_) {
        const Slot& slot = slots_[i];
        if (slot.tag == 0) return nullptr;
        if (slot.tag == tag && slot.low == hashed &&
            std::memcmp(long_keys_.data() + slot.high, bytes, length) == 0) {
            return &slot.value;
        }
    }
}

void TokenTable::insert(const char* bytes, std::size_t length, std::uint32_t value) {
    if (length >= UINT32_MAX) throw std::length_error("a token of 4 GB or more");
    if (4 * (size_ + 1) > slots_.size()) grow();
    Slot slot;
    slot.tag = static_cast<std::uint32_t>(length) + 1;
    slot.value = value;
    if (length <= short_length) {
        const ShortKey key = short_key(bytes, length);
        slot.low = key.low;
        slot.high = key.high;
    } else {
        slot.low = long_hash(bytes, length);
        slot.high = long_keys_.size();
        long_keys_.insert(long_keys_.end(), bytes, bytes + length);
    }
    place(slot, slot_hash(slot));
    ++size_;
}

std::uint64_t TokenTable::slot_hash(const Slot& slot) const {
    return slot.tag - 1 <= short_length ? hash({slot.low, slot.high}) : slot.low;
}

void TokenTable::place(const Slot& slot, std::uint64_t hashed) {
    std::size_t i = hashed >> shift_;
    while (slots_[i].tag != 0) i = (i + 1) & mask_;
    slots_[i] = slot;
}

void TokenTable::grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    --shift_;
    for (const Slot& slot : old) {
        if (slot.tag != 0) place(slot, slot_hash(slot));
    }
}

}  // namespace rubrica
