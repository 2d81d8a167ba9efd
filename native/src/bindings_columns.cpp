// Columns of texts for Python: parsed from JSON lines or made of strings, and rows of scores written as JSON lines.
#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "rubrica/json_rows.hpp"
#include "rubrica/text_column.hpp"

using namespace nb::literals;

namespace {

using rubrica::TextColumn;
using rubrica::TextLists;
using Places = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

std::shared_ptr<const void> owner_of(nb::object object) {
    return {object.release().ptr(), [](void* kept) {
                const nb::gil_scoped_acquire acquire;
                Py_DECREF(static_cast<PyObject*>(kept));
            }};
}

std::string_view view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::str to_str(std::string_view text) { return nb::str(text.data(), text.size()); }

void append_text(TextColumn& column, nb::handle text) {
    if (!PyUnicode_Check(text.ptr())) throw nb::type_error("texts must be str");
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (data == nullptr) nb::raise_python_error();
    column.texts.emplace_back(data, static_cast<std::size_t>(size));
}

// The tuple keeps the strings alive, whatever becomes of the caller's list.
void make_column(TextColumn* self, nb::handle texts) {
    const nb::tuple items(texts);
    TextColumn column;
    column.texts.reserve(items.size());
    for (const nb::handle text : items) append_text(column, text);
    column.owners.push_back(owner_of(items));
    new (self) TextColumn(std::move(column));
}

void make_lists(TextLists* self, nb::handle rows) {
    const nb::tuple items(rows);
    TextLists lists;
    for (const nb::handle row : items) {
        if (PyUnicode_Check(row.ptr())) throw nb::type_error("a row must be a list of texts");
        const nb::tuple texts(row);
        for (const nb::handle text : texts) append_text(lists.texts, text);
        lists.ends.push_back(lists.texts.size());
        lists.texts.owners.push_back(owner_of(texts));
    }
    new (self) TextLists(std::move(lists));
}

std::size_t checked(std::ptrdiff_t index, std::size_t size) {
    if (index < 0) index += static_cast<std::ptrdiff_t>(size);
    if (index < 0 || static_cast<std::size_t>(index) >= size)
        throw nb::index_error("no such row");
    return static_cast<std::size_t>(index);
}

nb::list row_texts(const TextLists& lists, std::size_t row) {
    nb::list out;
    for (std::size_t at = lists.begin(row); at < lists.ends[row]; ++at)
        out.append(to_str(lists.texts.texts[at]));
    return out;
}

Places to_array(const std::vector<std::size_t>& values) {
    nb::capsule owner;
    auto* data = fresh<std::int64_t>({values.size()}, owner);
    std::copy(values.begin(), values.end(), data);
    return Places(data, {values.size()}, owner);
}

std::pair<TextColumn, Places> unique(const TextColumn& column) {
    const rubrica::Distinct found = rubrica::distinct(column);
    TextColumn texts;
    texts.owners = column.owners;
    texts.texts.reserve(found.first.size());
    for (const std::size_t at : found.first) texts.texts.push_back(column.texts[at]);
    return {std::move(texts), to_array(found.place)};
}

nb::list non_ascii(const TextColumn& column) {
    nb::list out;
    for (const std::string_view text : column.texts)
        if (!rubrica::is_ascii(text)) out.append(to_str(text));
    return out;
}

using Columns = std::tuple<TextColumn, TextColumn, TextColumn, TextColumn, std::vector<TextLists>>;

std::optional<Columns> parse_json_rows(const nb::bytes& block,
                                       const std::vector<std::string>& list_names,
                                       const std::vector<std::string>& refused) {
    auto unescaped = std::make_shared<std::deque<std::string>>();
    std::optional<rubrica::JsonRows> rows;
    {
        const nb::gil_scoped_release release;
        rows = rubrica::parse_json_rows(view(block), list_names, refused, *unescaped);
    }
    if (!rows) return std::nullopt;
    const std::vector<std::shared_ptr<const void>> owners = {owner_of(nb::object(block)), unescaped};
    for (TextColumn* column : {&rows->instance_ids, &rows->summarizer_ids, &rows->summarizer_types,
                               &rows->summaries}) {
        column->owners = owners;
    }
    for (TextLists& lists : rows->lists) lists.texts.owners = owners;
    return Columns(std::move(rows->instance_ids), std::move(rows->summarizer_ids),
                   std::move(rows->summarizer_types), std::move(rows->summaries),
                   std::move(rows->lists));
}

// The lines of a text; nothing if it is not UTF-8 or holds characters that need a closer look.
std::optional<TextColumn> split_lines(const nb::bytes& data) {
    TextColumn lines;
    std::string_view rest = view(data);
    if (rest.find('\0') != rest.npos || rest.find('\r') != rest.npos || !rubrica::is_utf8(rest))
        return std::nullopt;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        const bool blank = line.find_first_not_of(" \t\v\f\x1c\x1d\x1e\x1f") == line.npos;
        lines.texts.push_back(blank ? std::string_view() : line);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    lines.owners.push_back(owner_of(nb::object(data)));
    return lines;
}

std::pair<std::size_t, std::size_t> lines_end(const nb::bytes& data, std::size_t start,
                                              std::size_t most) {
    const std::string_view text = view(data);
    if (start > text.size()) throw nb::index_error("start is after the end");
    std::size_t end = start, found = 0;
    while (found < most) {
        const std::size_t newline = text.find('\n', end);
        if (newline == text.npos) return {text.size(), found};
        end = newline + 1;
        ++found;
    }
    return {end, found};
}

TextLists zip_columns(const std::vector<const TextColumn*>& columns) {
    TextLists lists;
    for (const TextColumn* column : columns) {
        if (column == nullptr || columns[0] == nullptr) throw nb::type_error("a column is missing");
        if (column->size() != columns[0]->size())
            throw nb::value_error("columns of unequal length");
        lists.texts.owners.insert(lists.texts.owners.end(), column->owners.begin(),
                                  column->owners.end());
    }
    const std::size_t rows = columns.empty() ? 0 : columns[0]->size();
    lists.texts.texts.reserve(rows * columns.size());
    for (std::size_t row = 0; row < rows; ++row) {
        for (const TextColumn* column : columns) lists.texts.texts.push_back(column->texts[row]);
        lists.ends.push_back(lists.texts.size());
    }
    return lists;
}

void check_sizes(std::size_t rows, std::initializer_list<const TextColumn*> columns) {
    for (const TextColumn* column : columns)
        if (column->size() != rows) throw nb::value_error("columns of unequal length");
}

// Scores are ratios of small numbers: most have been written before.
class NumberTexts {
public:
    std::string_view of(double value) {
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        Entry& entry = entries_[(bits * 0x9e3779b97f4a7c15u) >> 52];
        if (entry.text.empty() || entry.bits != bits) {
            entry.bits = bits;
            entry.text.clear();
            rubrica::append_json_number(entry.text, value);
        }
        return entry.text;
    }

private:
    struct Entry {
        std::uint64_t bits = 0;
        std::string text;
    };
    std::vector<Entry> entries_ = std::vector<Entry>(4096);
};

nb::bytes encode_rows(const TextColumn& instance_ids, const TextColumn& summarizer_ids,
                      const TextColumn& summarizer_types, const std::vector<nb::bytes>& between,
                      Matrix values, const std::vector<nb::bytes>& tails,
                      const TextColumn& digests) {
    const std::size_t rows = values.shape(0), columns = values.shape(1);
    check_sizes(rows, {&instance_ids, &summarizer_ids, &summarizer_types, &digests});
    if (between.size() != columns + 1 || (tails.size() != 1 && tails.size() != rows))
        throw nb::value_error("text is missing between or after the values");
    std::vector<std::string_view> around, after;
    for (const nb::bytes& bytes : between) around.push_back(view(bytes));
    for (const nb::bytes& bytes : tails) after.push_back(view(bytes));
    std::string out;
    {
        const nb::gil_scoped_release release;
        const double* value = values.data();
        NumberTexts numbers;
        for (std::size_t row = 0; row < rows; ++row) {
            out += "{\"instance_id\":";
            rubrica::append_json_text(out, instance_ids.texts[row]);
            out += ",\"summarizer_id\":";
            rubrica::append_json_text(out, summarizer_ids.texts[row]);
            out += ",\"summarizer_type\":";
            rubrica::append_json_text(out, summarizer_types.texts[row]);
            out += around[0];
            for (std::size_t column = 0; column < columns; ++column) {
                out += numbers.of(*value++);
                out += around[column + 1];
            }
            out += after[after.size() == 1 ? 0 : row];
            rubrica::append_json_text(out, digests.texts[row]);
            out += "}\n";
        }
    }
    return nb::bytes(out.data(), out.size());
}

nb::bytes row_identities(const TextColumn& instance_ids, const TextColumn& summarizer_ids,
                         const TextColumn& summarizer_types, const TextColumn& digests) {
    const std::size_t rows = instance_ids.size();
    check_sizes(rows, {&summarizer_ids, &summarizer_types, &digests});
    std::string out;
    for (std::size_t row = 0; row < rows; ++row) {
        out.append(instance_ids.texts[row]).push_back('\0');
        out.append(summarizer_ids.texts[row]).push_back('\0');
        out.append(summarizer_types.texts[row]).push_back('\0');
        out.append(digests.texts[row]).push_back('\n');
    }
    return nb::bytes(out.data(), out.size());
}

}  // namespace

void bind_columns(nb::module_& m) {
    nb::class_<TextColumn>(m, "TextColumn", "Texts, held as bytes; strings are made when asked for.")
        .def("__init__", &make_column, "texts"_a)
        .def("__len__", &TextColumn::size)
        .def("__getitem__",
             [](const TextColumn& self, std::ptrdiff_t at) {
                 return to_str(self.texts[checked(at, self.size())]);
             },
             "row"_a)
        .def("__iter__",
             [](const TextColumn& self) {
                 nb::list texts;
                 for (const std::string_view text : self.texts) texts.append(to_str(text));
                 return nb::iter(texts);
             })
        .def("non_ascii", &non_ascii, "The texts that are not ASCII.")
        .def("unique", &unique,
             "The distinct texts in order of appearance, and the place of each text among them.");
    nb::class_<TextLists>(m, "TextLists", "A list of texts per row, held as bytes.")
        .def("__init__", &make_lists, "rows"_a)
        .def("__len__", &TextLists::size)
        .def("__getitem__",
             [](const TextLists& self, std::ptrdiff_t at) {
                 return row_texts(self, checked(at, self.size()));
             },
             "row"_a)
        .def("__iter__",
             [](const TextLists& self) {
                 nb::list rows;
                 for (std::size_t row = 0; row < self.size(); ++row) rows.append(row_texts(self, row));
                 return nb::iter(rows);
             })
        .def_prop_ro("ends", [](const TextLists& self) { return to_array(self.ends); },
                     nb::rv_policy::move)
        .def_prop_ro("texts", [](const TextLists& self) -> const TextColumn& { return self.texts; });
    m.def("parse_json_rows", &parse_json_rows, "block"_a, "list_names"_a, "refused"_a,
          "Ids, types, summaries and lists of texts from JSON lines; None if a line is unusual.");
    m.def("has_unique_keys",
          [](const nb::bytes& block) {
              const std::string_view lines = view(block);
              const nb::gil_scoped_release release;
              return rubrica::has_unique_keys(lines);
          },
          "block"_a, "Whether the objects in JSON lines have each key once; False also if in doubt.");
    m.def("split_lines", &split_lines, "data"_a,
          "The lines of a UTF-8 text, blank ones empty; None if it needs a closer look.");
    m.def("lines_end", &lines_end, "data"_a, "start"_a, "most"_a,
          "Where lines from `start` on end, at most so many, and how many there are.");
    m.def("zip_columns", &zip_columns, "columns"_a, "Of each row the texts of all columns.");
    m.def("encode_rows", &encode_rows, "instance_ids"_a, "summarizer_ids"_a, "summarizer_types"_a,
          "between"_a, "values"_a.noconvert(), "tails"_a, "digests"_a,
          "Rows of scores as JSON lines.");
    m.def("row_identities", &row_identities, "instance_ids"_a, "summarizer_ids"_a,
          "summarizer_types"_a, "digests"_a, "What the digest of the data is computed from.");
}
