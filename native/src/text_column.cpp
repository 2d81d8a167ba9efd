#include "rubrica/text_column.hpp"

#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace rubrica {

Distinct distinct(const TextColumn& column) {
    Distinct found;
    found.place.reserve(column.size());
    std::unordered_map<std::string_view, std::size_t> places;
    places.reserve(column.size());
    for (std::size_t i = 0; i < column.size(); ++i) {
        const auto [entry, is_new] = places.try_emplace(column.texts[i], found.first.size());
        if (is_new) found.first.push_back(i);
        found.place.push_back(entry->second);
    }
    return found;
}

bool is_ascii(std::string_view text) {
    std::size_t at = 0;
    std::uint64_t high = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word;
        std::memcpy(&word, text.data() + at, 8);
        high |= word;
    }
    for (; at < text.size(); ++at) high |= static_cast<unsigned char>(text[at]);
    return (high & 0x8080808080808080u) == 0;
}

namespace {

// The length of the UTF-8 character at `at`, whose first byte is not ASCII; 0 if it is malformed.
std::size_t character_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
    const unsigned first = byte(0), second = byte(1);
    if (first >= 0xc2 && first < 0xe0) return continues(1) ? 2 : 0;
    if (first >= 0xe0 && first < 0xf0) {
        const bool in_range = (first != 0xe0 || second >= 0xa0) && (first != 0xed || second < 0xa0);
        return in_range && continues(1) && continues(2) ? 3 : 0;
    }
    if (first >= 0xf0 && first < 0xf5) {
        const bool in_range = (first != 0xf0 || second >= 0x90) && (first != 0xf4 || second < 0x90);
        return in_range && continues(1) && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
    if (is_ascii(text)) return true;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t length = 1;
        if (static_cast<unsigned char>(text[at]) >= 0x80) length = character_length(text, at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

}  // namespace rubrica
