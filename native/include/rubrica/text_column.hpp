// Texts as views of bytes that the column keeps alive: no string object per text.
#pragma once
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace rubrica {

struct TextColumn {
    std::vector<std::string_view> texts;
    std::vector<std::shared_ptr<const void>> owners;  // of the bytes

    std::size_t size() const { return texts.size(); }
};

// A list of texts per row: those of row i end before ends[i] and begin where the row before ends.
struct TextLists {
    TextColumn texts;
    std::vector<std::size_t> ends;

    std::size_t size() const { return ends.size(); }
    std::size_t begin(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
};

// The distinct texts in order of appearance, and for each text the place of its equal among them.
struct Distinct {
    std::vector<std::size_t> first;  // where each distinct text appears first
    std::vector<std::size_t> place;
};
Distinct distinct(const TextColumn& column);

bool is_ascii(std::string_view text);
bool is_utf8(std::string_view text);

}  // namespace rubrica
