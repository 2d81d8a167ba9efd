#include "rubrica/json_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace rubrica {
namespace {

constexpr int deepest = 64;

// Reads one line. Every method returns false at anything unexpected.
class LineParser {
public:
    LineParser(const char* at, const char* end, std::deque<std::string>& unescaped)
        : at_(at), end_(end), unescaped_(unescaped) {}

    const char* place() const { return at_; }
    bool at_end() const { return at_ == end_; }

    void skip_blanks() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
    }

    bool take(char wanted) {
        skip_blanks();
        if (at_ == end_ || *at_ != wanted) return false;
        ++at_;
        return true;
    }

    // A string without its quotes; a view of the line, or of `unescaped_` if it has escapes.
    bool text(std::string_view& out) {
        if (!take('"')) return false;
        const char* begin = at_;
        if (!find_special()) return false;
        if (*at_ == '"') {
            out = {begin, static_cast<std::size_t>(at_++ - begin)};
            return true;
        }
        std::string& own = unescaped_.emplace_back(begin, at_);
        while (*at_ != '"') {
            if (*at_ != '\\' || !escape(own)) return false;
            const char* next = at_;
            if (!find_special()) return false;
            own.append(next, at_);
        }
        ++at_;
        out = own;
        return true;
    }

    bool texts(TextLists& out) {
        if (!take('[')) return false;
        std::string_view text_found;
        if (!take(']')) {
            do {
                if (!text(text_found)) return false;
                out.texts.texts.push_back(text_found);
            } while (take(','));
            if (!take(']')) return false;
        }
        out.ends.push_back(out.texts.size());
        return true;
    }

    // A key that is not among `keys`, which it joins. Objects with very many are left to others.
    bool new_key(std::vector<std::string_view>& keys) {
        std::string_view key;
        if (!text(key) || keys.size() == 64 || std::ranges::count(keys, key) != 0) return false;
        keys.push_back(key);
        return true;
    }

    // Any value, checked and passed over.
    bool skip_value(int depth = 0) {
        skip_blanks();
        if (at_ == end_ || depth > deepest) return false;
        switch (*at_) {
            case '"': return skip_text();
            case '{': return skip_object(depth);
            case '[': return skip_list(depth);
            case 't': return literal("true");
            case 'f': return literal("false");
            case 'n': return literal("null");
            default: return skip_number();
        }
    }

private:
    // Moves to the next quote or backslash; false at a control character or the end.
    bool find_special() {
        constexpr std::uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
        const auto has_zero = [](std::uint64_t word) { return (word - ones) & ~word & high; };
        for (; end_ - at_ >= 8; at_ += 8) {
            std::uint64_t word;
            std::memcpy(&word, at_, 8);
            const std::uint64_t control = (word - ones * 0x20) & ~word & high;
            if (control | has_zero(word ^ (ones * '"')) | has_zero(word ^ (ones * '\\'))) break;
        }
        for (; at_ != end_; ++at_) {
            if (*at_ == '"' || *at_ == '\\') return true;
            if (static_cast<unsigned char>(*at_) < 0x20) return false;
        }
        return false;
    }

    bool escape(std::string& out) {
        if (++at_ == end_) return false;
        constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        const char letter = *at_++;
        if (letter == 'u') return unicode_escape(out);
        const std::size_t found = letters.find(letter);
        if (found == letters.npos) return false;
        out.push_back(meanings[found]);
        return true;
    }

    bool four_digits(std::uint32_t& out) {
        if (end_ - at_ < 4) return false;
        const auto [stop, error] = std::from_chars(at_, at_ + 4, out, 16);
        if (error != std::errc() || stop != at_ + 4 || *at_ == '-') return false;
        at_ += 4;
        return true;
    }

    bool unicode_escape(std::string& out) {
        std::uint32_t code = 0;
        if (!four_digits(code)) return false;
        if (code >= 0xd800 && code < 0xe000) {
            std::uint32_t low = 0;
            const bool pair = code < 0xdc00 && end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u';
            if (!pair) return false;
            at_ += 2;
            if (!four_digits(low) || low < 0xdc00 || low >= 0xe000) return false;
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        const auto push = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
        if (code < 0x80) {
            push(code);
        } else if (code < 0x800) {
            push(0xc0 | code >> 6);
            push(0x80 | (code & 0x3f));
        } else if (code < 0x10000) {
            push(0xe0 | code >> 12);
            push(0x80 | (code >> 6 & 0x3f));
            push(0x80 | (code & 0x3f));
        } else {
            push(0xf0 | code >> 18);
            push(0x80 | (code >> 12 & 0x3f));
            push(0x80 | (code >> 6 & 0x3f));
            push(0x80 | (code & 0x3f));
        }
        return true;
    }

    bool skip_text() {
        const std::size_t before = unescaped_.size();
        std::string_view ignored;
        const bool good = text(ignored);
        unescaped_.resize(before);
        return good;
    }

    bool skip_object(int depth) {
        if (!take('{')) return false;
        if (take('}')) return true;
        std::vector<std::string_view> keys;
        do {
            if (!new_key(keys) || !take(':') || !skip_value(depth + 1)) return false;
        } while (take(','));
        return take('}');
    }

    bool skip_list(int depth) {
        if (!take('[')) return false;
        if (take(']')) return true;
        do {
            if (!skip_value(depth + 1)) return false;
        } while (take(','));
        return take(']');
    }

    bool literal(std::string_view word) {
        if (static_cast<std::size_t>(end_ - at_) < word.size() ||
            std::string_view(at_, word.size()) != word) {
            return false;
        }
        at_ += word.size();
        return true;
    }

    bool digits() {
        const char* begin = at_;
        while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
        return at_ != begin;
    }

    bool skip_number() {
        if (at_ != end_ && *at_ == '-') ++at_;
        const char* begin = at_;
        if (!digits() || (*begin == '0' && at_ - begin > 1)) return false;
        if (at_ != end_ && *at_ == '.') {
            ++at_;
            if (!digits()) return false;
        }
        if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
            ++at_;
            if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
            if (!digits()) return false;
        }
        return true;
    }

    const char* at_;
    const char* end_;
    std::deque<std::string>& unescaped_;
};

class RowsParser {
public:
    RowsParser(std::span<const std::string> list_names, std::span<const std::string> refused,
               std::deque<std::string>& unescaped)
        : list_names_(list_names), refused_(refused), unescaped_(unescaped) {
        rows_.lists.resize(list_names.size());
    }

    bool parse_line(const char* begin, const char* end) {
        LineParser line(begin, end, unescaped_);
        if (!line.take('{')) return false;
        keys_.clear();
        do {
            if (!line.new_key(keys_) || !line.take(':') || !value(keys_.back(), line)) return false;
        } while (line.take(','));
        if (!line.take('}')) return false;
        line.skip_blanks();
        ++count_;
        return line.at_end() && is_complete();
    }

    JsonRows rows() && { return std::move(rows_); }

private:
    bool value(std::string_view key, LineParser& line) {
        if (key == "summary") return one_text(rows_.summaries, line);
        if (key == "instance_id") return one_text(rows_.instance_ids, line) && last_id();
        if (key == "summarizer_id") return one_text(rows_.summarizer_ids, line) && last_id();
        if (key == "summarizer_type") {
            return one_text(rows_.summarizer_types, line) && (last_ == "peer" || last_ == "reference");
        }
        for (std::size_t i = 0; i < list_names_.size(); ++i) {
            if (key == list_names_[i]) {
                return line.texts(rows_.lists[i]);
            }
        }
        for (const std::string& name : refused_)
            if (key == name) return false;
        return line.skip_value();
    }

    bool one_text(TextColumn& column, LineParser& line) {
        if (!line.text(last_)) return false;
        column.texts.push_back(last_);
        return true;
    }

    bool last_id() const { return !last_.empty(); }

    bool is_complete() const {
        bool complete = rows_.summaries.size() == count_ && rows_.instance_ids.size() == count_ &&
                        rows_.summarizer_ids.size() == count_ &&
                        rows_.summarizer_types.size() == count_;
        for (const TextLists& lists : rows_.lists) complete = complete && lists.size() == count_;
        return complete;
    }

    std::span<const std::string> list_names_, refused_;
    std::deque<std::string>& unescaped_;
    JsonRows rows_;
    std::string_view last_;
    std::vector<std::string_view> keys_;
    std::size_t count_ = 0;
};

}  // namespace

std::optional<JsonRows> parse_json_rows(std::string_view block,
                                        std::span<const std::string> list_names,
                                        std::span<const std::string> refused,
                                        std::deque<std::string>& unescaped) {
    if (!is_utf8(block)) return std::nullopt;
    RowsParser parser(list_names, refused, unescaped);
    const char* at = block.data();
    const char* const end = at + block.size();
    while (at != end) {
        const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
        const char* line_end = found == nullptr ? end : static_cast<const char*>(found);
        if (!parser.parse_line(at, line_end)) return std::nullopt;
        at = line_end == end ? end : line_end + 1;
    }
    return std::move(parser).rows();
}

bool has_unique_keys(std::string_view block) {
    std::deque<std::string> unescaped;
    while (!block.empty()) {
        const std::size_t end = std::min(block.find('\n'), block.size());
        LineParser line(block.data(), block.data() + end, unescaped);
        line.skip_blanks();
        if (!line.at_end() && !line.skip_value()) return false;
        unescaped.clear();
        block.remove_prefix(std::min(end + 1, block.size()));
    }
    return true;
}

void append_json_text(std::string& out, std::string_view text) {
    out.push_back('"');
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
        out.append(text, begin, i - begin);
        begin = i + 1;
        constexpr std::string_view escaped = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
        const std::size_t found = escaped.find(text[i]);
        if (found != escaped.npos) {
            out.push_back('\\');
            out.push_back(letters[found]);
        } else {
            out += "\\u00";
            out.push_back("0123456789abcdef"[byte >> 4]);
            out.push_back("0123456789abcdef"[byte & 15]);
        }
    }
    out.append(text, begin);
    out.push_back('"');
}

void append_json_number(std::string& out, double value) {
    if (!std::isfinite(value)) {
        out += "null";
        return;
    }
    if (std::signbit(value)) {
        out.push_back('-');
        value = -value;
    }
    if (value == 0) {
        out += "0.0";
        return;
    }
    // d.ddde+XX
    std::array<char, 32> buffer;
    const char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::scientific)
                          .ptr;
    const char* e = end;
    while (*--e != 'e') {
    }
    int exponent = 0;
    std::from_chars(e + (e[1] == '+' ? 2 : 1), end, exponent);
    std::string_view fraction(buffer.data() + 1, static_cast<std::size_t>(e - buffer.data()) - 1);
    if (!fraction.empty()) fraction.remove_prefix(1);  // the point
    const char first = buffer[0];
    if (exponent < -5 || exponent >= 16) {
        out.push_back(first);
        if (!fraction.empty()) out.append(".").append(fraction);
        out.push_back('e');
        out += std::to_string(exponent);
    } else if (exponent < 0) {
        out += "0.";
        out.append(static_cast<std::size_t>(-exponent - 1), '0');
        out.push_back(first);
        out += fraction;
    } else {
        const auto whole = static_cast<std::size_t>(exponent);
        out.push_back(first);
        if (fraction.size() <= whole) {
            out += fraction;
            out.append(whole - fraction.size(), '0');
            out += ".0";
        } else {
            out += fraction.substr(0, whole);
            out.push_back('.');
            out += fraction.substr(whole);
        }
    }
}

}  // namespace rubrica
