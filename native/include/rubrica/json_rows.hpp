// JSON lines of one known shape, parsed into columns; and rows of scores, written as JSON lines.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rubrica/text_column.hpp"

namespace rubrica {

struct JsonRows {
    TextColumn instance_ids, summarizer_ids, summarizer_types, summaries;
    std::vector<TextLists> lists;  // a column per name in `list_names`
};

// Parses lines such as {"instance_id":"1","summarizer_id":"a","summarizer_type":"peer","summary":"...",
// "references":["..."]}. Other keys are checked and skipped. Texts are views of `block`, or of
// `unescaped` where they hold escapes. Returns nothing if any line is blank, malformed, lacks a
// field, has one of `refused` keys, or holds values of other types: such blocks are read row by row.
std::optional<JsonRows> parse_json_rows(std::string_view block,
                                        std::span<const std::string> list_names,
                                        std::span<const std::string> refused,
                                        std::deque<std::string>& unescaped);

// Whether the objects of all lines have each key once; false also for lines that need a closer look.
bool has_unique_keys(std::string_view block);

// Appends a text in quotes, with the escapes that JSON requires and no others.
void append_json_text(std::string& out, std::string_view text);

// Appends a number with the fewest digits that read back as it; null if it is not finite.
// Exponents are used below 1e-5 and from 1e16.
void append_json_number(std::string& out, double value);

}  // namespace rubrica
