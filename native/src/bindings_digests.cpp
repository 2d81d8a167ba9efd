// Digests of rows, computed from columns of texts.
#include "bindings.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "rubrica/blake2b.hpp"
#include "rubrica/text_column.hpp"

using namespace nb::literals;

namespace {

using rubrica::TextColumn;
using rubrica::TextLists;
using Bytes = std::vector<std::uint8_t>;

void append(Bytes& out, std::string_view text) {
    // As bytes, which are copied at once; characters would be converted one by one.
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    out.insert(out.end(), bytes, bytes + text.size());
}

// The head of a MessagePack string or array: a short form, then lengths of 1, 2 or 4 bytes.
void append_head(Bytes& out, std::size_t size, std::uint8_t short_form, std::size_t short_limit,
                 std::uint8_t one_byte, std::uint8_t two_bytes) {
    if (size < short_limit) {
        out.push_back(static_cast<std::uint8_t>(short_form | size));
        return;
    }
    int width = 4;
    std::uint8_t code = two_bytes + 1;
    if (one_byte != 0 && size < 0x100) {
        width = 1;
        code = one_byte;
    } else if (size < 0x10000) {
        width = 2;
        code = two_bytes;
    } else if (size > 0xffffffff) {
        throw nb::value_error("a text of more than 4 GiB");
    }
    out.push_back(code);
    for (int at = width - 1; at >= 0; --at)
        out.push_back(static_cast<std::uint8_t>(size >> (8 * at)));
}

void append_list_head(Bytes& out, std::size_t size) { append_head(out, size, 0x90, 16, 0, 0xdc); }

void append_text(Bytes& out, std::string_view text) {
    append_head(out, text.size(), 0xa0, 32, 0xd9, 0xda);
    append(out, text);
}

// A field of the rows: one text each, or a list of texts each.
struct Field {
    const TextColumn* texts = nullptr;
    const TextLists* lists = nullptr;

    std::size_t size() const { return texts != nullptr ? texts->size() : lists->size(); }

    void append_value(Bytes& out, std::size_t row) const {
        if (texts != nullptr) {
            append_text(out, texts->texts[row]);
            return;
        }
        const std::size_t begin = lists->begin(row), end = lists->ends[row];
        append_list_head(out, end - begin);
        for (std::size_t at = begin; at < end; ++at) append_text(out, lists->texts.texts[at]);
    }
};

std::vector<Field> fields_of(const nb::list& columns) {
    std::vector<Field> fields;
    for (const nb::handle column : columns) {
        Field field;
        if (nb::isinstance<TextColumn>(column)) {
            field.texts = &nb::cast<const TextColumn&>(column);
        } else {
            field.lists = &nb::cast<const TextLists&>(column);
        }
        fields.push_back(field);
        if (field.size() != fields[0].size()) throw nb::value_error("columns of unequal length");
    }
    return fields;
}

TextColumn text_digests(const nb::list& columns) {
    const std::vector<Field> fields = fields_of(columns);
    const std::size_t rows = fields.empty() ? 0 : fields[0].size();
    auto digits = std::make_shared<std::string>(16 * rows, '0');
    TextColumn found;
    found.owners.push_back(digits);
    found.texts.reserve(rows);
    const nb::gil_scoped_release release;
    Bytes packed;
    std::array<std::uint8_t, 8> digest{};
    for (std::size_t row = 0; row < rows; ++row) {
        packed.clear();
        append_list_head(packed, fields.size());
        for (const Field& field : fields) field.append_value(packed, row);
        rubrica::blake2b(packed, digest);
        char* own = digits->data() + 16 * row;
        for (std::size_t at = 0; at < 8; ++at) {
            own[2 * at] = "0123456789abcdef"[digest[at] >> 4];
            own[2 * at + 1] = "0123456789abcdef"[digest[at] & 15];
        }
        found.texts.emplace_back(own, 16);
    }
    return found;
}

std::size_t characters(std::string_view text) {
    std::size_t count = 0;
    for (const char byte : text) count += (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
    return count;
}

nb::ndarray<nb::numpy, std::uint64_t> id_keys(const TextColumn& instances,
                                              const TextColumn& systems) {
    const std::size_t rows = instances.size();
    if (systems.size() != rows) throw nb::value_error("columns of unequal length");
    nb::capsule owner;
    auto* keys = fresh<std::uint64_t>({rows, 2}, owner);
    Bytes joined;
    for (std::size_t row = 0; row < rows; ++row) {
        joined.clear();
        char digits[24];
        const auto end =
            std::to_chars(digits, digits + sizeof digits, characters(instances.texts[row])).ptr;
        append(joined, {digits, static_cast<std::size_t>(end - digits)});
        joined.push_back(':');
        append(joined, instances.texts[row]);
        append(joined, systems.texts[row]);
        std::array<std::uint8_t, 16> digest{};
        rubrica::blake2b(joined, digest);
        std::memcpy(keys + 2 * row, digest.data(), 16);
    }
    return nb::ndarray<nb::numpy, std::uint64_t>(keys, {rows, 2}, owner);
}

}  // namespace

void bind_digests(nb::module_& m) {
    m.def("text_digests", &text_digests, "columns"_a,
          "Of each row of texts the first 8 bytes of BLAKE2b over its MessagePack, in hexadecimal.");
    m.def("id_keys", &id_keys, "instance_ids"_a, "summarizer_ids"_a,
          "Of each row 128 bits of BLAKE2b over its ids.");
}
