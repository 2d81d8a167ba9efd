#include "rubrica/tokenize.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "rubrica/simd.hpp"

namespace rubrica {
namespace {

constexpr std::size_t block = 64;

// One bit per byte of a block of 64: is it in [A-Za-z0-9], is it a newline.
struct Classes {
    std::uint64_t word, newline;
};

#if RUBRICA_SSE2

// 16 bytes a time with instructions every x86-64 has. Adding 128 - first maps a range onto the
// lowest signed values, so that one signed comparison tests both of its ends.
template <int first, int last>
__m128i in_range(__m128i bytes) {
    const __m128i shifted = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(128 - first)));
    return _mm_cmplt_epi8(shifted, _mm_set1_epi8(static_cast<char>(last - first + 1 - 128)));
}

Classes classify(const char* bytes) {
    Classes found{0, 0};
    for (int i = 0; i < 4; ++i) {
        const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i));
        const __m128i lower = _mm_or_si128(raw, _mm_set1_epi8(0x20));
        const __m128i word = _mm_or_si128(in_range<'a', 'z'>(lower), in_range<'0', '9'>(raw));
        const __m128i newline = _mm_cmpeq_epi8(raw, _mm_set1_epi8('\n'));
        found.word |= std::uint64_t(unsigned(_mm_movemask_epi8(word))) << (16 * i);
        found.newline |= std::uint64_t(unsigned(_mm_movemask_epi8(newline))) << (16 * i);
    }
    return found;
}

#else

constexpr std::array<bool, 256> word_byte = [] {
    std::array<bool, 256> table{};
    for (int c = 0; c < 256; ++c) {
        const int lower = c | 0x20;
        table[static_cast<std::size_t>(c)] =
            (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
    }
    return table;
}();

Classes classify(const char* bytes) {
    Classes found{0, 0};
    for (std::size_t i = 0; i < block; ++i) {
        const auto c = static_cast<unsigned char>(bytes[i]);
        found.word |= std::uint64_t{word_byte[c]} << i;
        found.newline |= std::uint64_t{c == '\n'} << i;
    }
    return found;
}

#endif

// Setting bit 5 lower-cases A-Z and leaves a-z and 0-9 as they are; a token holds nothing else.
constexpr std::uint64_t lower_case = 0x2020202020202020ull;

// By length: which bytes of a loaded 16 belong to the key.
struct KeyMask {
    std::uint64_t low, high;
};
constexpr std::array<KeyMask, TokenTable::short_length + 1> key_masks = [] {
    std::array<KeyMask, TokenTable::short_length + 1> masks{};
    for (std::size_t n = 0; n < masks.size(); ++n) {
        masks[n] = {first_bytes(~std::uint64_t{0}, n),
                    first_bytes(~std::uint64_t{0}, n < 8 ? 0 : n - 8)};
    }
    return masks;
}();

// The number of the word text[begin, end).
class Reader {
public:
    Reader(std::string_view text, Memo& memo, const WordRules& rules, StemNumbers& numbers)
        : text_(text), memo_(memo), rules_(rules), numbers_(numbers) {}

    std::uint32_t id(std::size_t begin, std::size_t end) {
        const std::size_t length = end - begin;
        if (length > TokenTable::short_length) [[unlikely]]
            return long_id(begin, length);
        ShortKey key;
        if (begin + 16 <= text_.size()) [[likely]] {
            const KeyMask mask = key_masks[length];
            key = {(load64(text_.data() + begin) | lower_case) & mask.low,
                   (load64(text_.data() + begin + 8) | lower_case) & mask.high};
        } else {
            key = short_key(text_.data() + begin, length);
            key.low = first_bytes(key.low | lower_case, length);
            key.high = first_bytes(key.high | lower_case, length < 8 ? 0 : length - 8);
        }
        return memo_.find(key, length, rules_, numbers_);
    }

private:
    std::uint32_t long_id(std::size_t begin, std::size_t length) {
        buffer_.assign(text_.substr(begin, length));
        for (char& c : buffer_) c = static_cast<char>(c | 0x20);
        return memo_.find(buffer_, rules_, numbers_);
    }

    std::string_view text_;
    Memo& memo_;
    const WordRules& rules_;
    StemNumbers& numbers_;
    std::string buffer_;
};

}  // namespace

void append_words(std::string_view text, bool newline_units, Memo& memo, const WordRules& rules,
                  StemNumbers& numbers, Words& out) {
    if (out.ids.size() + text.size() / 2 >= UINT32_MAX - 1) {
        throw std::length_error("a text of 2^32 words or more");
    }
    // At most every second byte starts a word. Grown as raw memory, cut to size at the end.
    std::size_t count = out.ids.size();
    out.ids.resize(count + text.size() / 2 + 1);
    std::uint32_t* ids = out.ids.data();
    Reader reader(text, memo, rules, numbers);

    std::size_t begin = 0;     // of the word being read
    std::uint64_t inside = 0;  // 1 if the block before ended inside a word
    for (std::size_t base = 0; base <= text.size(); base += block) {
        Classes found;
        if (base + block <= text.size()) {
            found = classify(text.data() + base);
        } else {  // the last block, filled up with separators: it ends the last word
            char padded[block] = {};
            std::copy(text.begin() + static_cast<std::ptrdiff_t>(base), text.end(), padded);
            found = classify(padded);
        }
        const std::uint64_t before = found.word << 1 | inside;
        std::uint64_t starts = found.word & ~before, ends = ~found.word & before;
        // Starts and ends alternate: every end belongs to the start taken last.
        const auto take_start = [&] {
            begin = base + static_cast<std::size_t>(std::countr_zero(starts));
            starts &= starts - 1;
        };
        if (inside == 0) take_start();
        inside = found.word >> 63;
        for (std::uint64_t lines = newline_units ? found.newline : 0;; lines &= lines - 1) {
            const std::uint64_t upto = lines ^ (lines - 1);  // up to the next newline, or all
            for (std::uint64_t now = ends & upto; now != 0; now &= now - 1) {
                const auto end = base + static_cast<std::size_t>(std::countr_zero(now));
                const std::uint32_t id = reader.id(begin, end);
                ids[count] = id;
                count += id != Memo::dropped;
                take_start();
            }
            if (lines == 0) break;
            ends &= ~upto;
            if (count != (out.unit_ends.empty() ? 0 : out.unit_ends.back())) {
                out.unit_ends.push_back(static_cast<std::uint32_t>(count));
            }
        }
    }
    out.ids.resize(count);
}

std::string_view lower_like_python(std::string_view text, std::string& buffer) {
    constexpr std::string_view dotted_i = "\xC4\xB0", kelvin = "\xE2\x84\xAA";
    if (text.find(dotted_i) == text.npos && text.find(kelvin) == text.npos) return text;
    buffer.clear();
    for (std::size_t i = 0; i < text.size();) {
        if (text.substr(i, 2) == dotted_i) {
            buffer += "i ";  // the combining dot separates, as a blank does
            i += 2;
        } else if (text.substr(i, 3) == kelvin) {
            buffer += 'k';
            i += 3;
        } else {
            buffer += text[i++];
        }
    }
    return buffer;
}

}  // namespace rubrica
