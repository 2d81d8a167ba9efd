// Digests of rows, computed from columns of Python strings.
#include "bindings.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rubrica/blake2b.hpp"

using namespace nb::literals;

namespace {

using Bytes = std::vector<std::uint8_t>;

std::string_view utf8(PyObject* text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text, &size);
    if (data == nullptr) nb::raise_python_error();
    return {data, static_cast<std::size_t>(size)};
}

void append(Bytes& out, std::string_view text) { out.insert(out.end(), text.begin(), text.end()); }

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

void append_value(Bytes& out, PyObject* value, int depth) {
    if (PyUnicode_Check(value)) {
        const std::string_view text = utf8(value);
        append_head(out, text.size(), 0xa0, 32, 0xd9, 0xda);
        append(out, text);
        return;
    }
    if (!PyList_Check(value) || depth > 8) throw nb::type_error("texts must be str or lists of str");
    const Py_ssize_t size = PyList_GET_SIZE(value);
    append_head(out, static_cast<std::size_t>(size), 0x90, 16, 0, 0xdc);
    for (Py_ssize_t at = 0; at < size; ++at)
        append_value(out, PyList_GET_ITEM(value, at), depth + 1);
}

nb::list text_digests(const std::vector<nb::list>& columns) {
    const std::size_t rows = columns.empty() ? 0 : nb::len(columns[0]);
    for (const nb::list& column : columns)
        if (nb::len(column) != rows) throw nb::value_error("columns of unequal length");
    nb::list found;
    Bytes packed;
    std::array<std::uint8_t, 8> digest{};
    for (std::size_t row = 0; row < rows; ++row) {
        packed.clear();
        append_head(packed, columns.size(), 0x90, 16, 0, 0xdc);
        for (const nb::list& column : columns)
            append_value(packed, PyList_GET_ITEM(column.ptr(), static_cast<Py_ssize_t>(row)), 0);
        rubrica::blake2b(packed, digest);
        char digits[16];
        for (std::size_t at = 0; at < 8; ++at) {
            digits[2 * at] = "0123456789abcdef"[digest[at] >> 4];
            digits[2 * at + 1] = "0123456789abcdef"[digest[at] & 15];
        }
        found.append(nb::str(digits, 16));
    }
    return found;
}

nb::ndarray<nb::numpy, std::uint64_t> id_keys(const nb::list& instances, const nb::list& systems) {
    const std::size_t rows = nb::len(instances);
    if (nb::len(systems) != rows) throw nb::value_error("columns of unequal length");
    auto* keys = new std::uint64_t[2 * rows];
    const nb::capsule owner(keys, [](void* p) noexcept { delete[] static_cast<std::uint64_t*>(p); });
    Bytes joined;
    for (std::size_t row = 0; row < rows; ++row) {
        PyObject* instance = PyList_GET_ITEM(instances.ptr(), static_cast<Py_ssize_t>(row));
        PyObject* system = PyList_GET_ITEM(systems.ptr(), static_cast<Py_ssize_t>(row));
        if (!PyUnicode_Check(instance) || !PyUnicode_Check(system))
            throw nb::type_error("ids must be str");
        joined.clear();
        char digits[24];
        const auto end =
            std::to_chars(digits, digits + sizeof digits, PyUnicode_GET_LENGTH(instance)).ptr;
        append(joined, {digits, static_cast<std::size_t>(end - digits)});
        joined.push_back(':');
        append(joined, utf8(instance));
        append(joined, utf8(system));
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
