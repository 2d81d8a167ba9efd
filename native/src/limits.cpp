#include "rubrica/tokenize.hpp"

namespace rubrica {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Perl's split at /\s+/: a leading blank yields an empty first field; trailing ones do not count.
// Returns the number of fields up to `most`, and cuts `unit` behind the last field counted.
std::size_t take_fields(std::string_view& unit, std::size_t most) {
    std::size_t fields = 0, end = 0, i = 0;
    const bool leading = !unit.empty() && is_blank(unit[0]);
    if (leading) {
        while (i < unit.size() && is_blank(unit[i])) ++i;
        if (i == unit.size()) return 0;
        fields = 1;
    }
    while (fields < most && i < unit.size()) {
        while (i < unit.size() && !is_blank(unit[i])) ++i;
        end = i;
        ++fields;
        while (i < unit.size() && is_blank(unit[i])) ++i;
    }
    unit = unit.substr(0, end);
    return fields;
}

}  // namespace

void cut_whole(std::vector<std::string_view>& units, Limit limit) {
    if (!limit.any()) return;
    std::size_t used = 0;
    for (std::size_t u = 0; u < units.size(); ++u) {
        if (limit.words != 0) {
            used += take_fields(units[u], limit.words - used);
            if (used < limit.words) continue;
        } else {
            const std::size_t left = limit.bytes - used;
            used += units[u].size();
            if (used < limit.bytes) continue;
            units[u] = units[u].substr(0, left);
        }
        units.resize(u + 1);
        return;
    }
}

void cut_units(std::vector<std::string_view>& units, Limit limit) {
    if (limit.words != 0) {
        cut_whole(units, limit);
        return;
    }
    for (std::size_t u = 0; u < units.size() && limit.any(); ++u) {
        if (units[u].size() < limit.bytes) continue;
        units[u] = units[u].substr(0, limit.bytes);
        units.resize(u + 1);
    }
}

}  // namespace rubrica
