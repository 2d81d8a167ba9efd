#include "rubrica/porter2.hpp"

#include <cstring>
#include <span>
#include <string_view>

namespace rubrica {
namespace {

using std::string_view;

bool is_vowel(char c) {
    return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y';
}

struct Irregular {
    string_view form, stem;
};
constexpr Irregular irregular[] = {
    {"skis", "ski"},    {"skies", "sky"},   {"dying", "die"},    {"lying", "lie"},
    {"tying", "tie"},   {"idly", "idl"},    {"gently", "gentl"}, {"ugly", "ugli"},
    {"early", "earli"}, {"only", "onli"},   {"singly", "singl"}, {"sky", "sky"},
    {"news", "news"},   {"howe", "howe"},   {"atlas", "atlas"},  {"cosmos", "cosmos"},
    {"bias", "bias"},   {"andes", "andes"},
};
// Snowball looks for these after the plural is off, NLTK for their listed forms at the start.
constexpr string_view finished[] = {"inning",  "outing",  "canning", "herring",
                                    "earring", "proceed", "exceed",  "succeed"};

// A suffix, how much of it goes, what comes instead, and the letters one of which must stand before.
// How much goes does not change the word, but it decides what NLTK makes of a shorter region.
struct Rule {
    string_view suffix;
    std::size_t cut;
    string_view by, before = {};
};

// Longer suffixes first: only the longest that fits is ever tried.
constexpr Rule step2_rules[] = {
    {"ational", 7, "ate"}, {"fulness", 4, ""},   {"iveness", 7, "ive"}, {"ization", 7, "ize"},
    {"ousness", 7, "ous"}, {"biliti", 6, "ble"}, {"lessli", 2, ""},     {"tional", 2, ""},
    {"alism", 5, "al"},    {"aliti", 5, "al"},   {"ation", 5, "ate"},   {"entli", 2, ""},
    {"fulli", 2, ""},      {"iviti", 5, "ive"},  {"ousli", 5, "ous"},   {"abli", 1, "e"},
    {"alli", 4, "al"},     {"anci", 1, "e"},     {"ator", 4, "ate"},    {"enci", 1, "e"},
    {"izer", 4, "ize"},    {"bli", 3, "ble"},    {"ogi", 1, "", "l"},   {"li", 2, "", "cdeghkmnrt"},
};
constexpr Rule step3_rules[] = {
    {"ational", 7, "ate"}, {"tional", 2, ""},  {"alize", 3, ""},
    {"ative", 5, ""},      {"icate", 5, "ic"}, {"iciti", 5, "ic"},
    {"ical", 4, "ic"},     {"ness", 4, ""},    {"ful", 3, ""},
};
constexpr Rule step4_rules[] = {
    {"ement", 5, ""}, {"able", 4, ""}, {"ance", 4, ""}, {"ence", 4, ""}, {"ible", 4, ""},
    {"ment", 4, ""},  {"ant", 3, ""},  {"ate", 3, ""},  {"ent", 3, ""},  {"ion", 3, "", "st"},
    {"ism", 3, ""},   {"iti", 3, ""},  {"ive", 3, ""},  {"ize", 3, ""},  {"ous", 3, ""},
    {"al", 2, ""},    {"er", 2, ""},   {"ic", 2, ""},
};

// The word with the lengths of its regions R1 and R2, counted from its end. Snowball keeps where a
// region begins, so that a length goes below 0 when more than the region is cut. In NLTK a region
// that is cut through is empty from then on, with one exception.
struct Word {
    char* text;
    std::size_t length;
    bool nltk;
    std::ptrdiff_t r1 = 0, r2 = 0;

    char last(std::size_t back = 0) const { return text[length - 1 - back]; }

    bool ends(string_view suffix) const {
        return length >= suffix.size() && last() == suffix.back() &&
               std::memcmp(text + length - suffix.size(), suffix.data(), suffix.size()) == 0;
    }

    bool has_vowel(std::size_t n) const {
        for (std::size_t i = 0; i < n; ++i) {
            if (is_vowel(text[i])) return true;
        }
        return false;
    }

    // The first n letters end in consonant, vowel, consonant but w, x, Y; or are vowel, consonant.
    bool ends_short(std::size_t n) const {
        if (n < 2 || is_vowel(text[n - 1]) || !is_vowel(text[n - 2])) return false;
        const char end = text[n - 1];
        return n == 2 || (end != 'w' && end != 'x' && end != 'Y' && !is_vowel(text[n - 3]));
    }

    // Where the region after the first consonant that follows a vowel begins.
    std::size_t region(std::size_t start) const {
        for (std::size_t at = start + 1; at < length; ++at) {
            if (is_vowel(text[at - 1]) && !is_vowel(text[at])) return at + 1;
        }
        return length;
    }

    void find_regions() {
        std::size_t start = 0;
        for (const string_view prefix : {"gener", "commun", "arsen"}) {
            if (string_view(text, length).starts_with(prefix)) start = prefix.size();
        }
        if (start == 0) start = region(0);
        r1 = static_cast<std::ptrdiff_t>(length - start);
        r2 = static_cast<std::ptrdiff_t>(length - region(start));
    }

    void cut(std::size_t count, string_view by = {}, std::ptrdiff_t r2_left = 0) {
        length -= count;
        by.copy(text + length, by.size());
        length += by.size();
        const auto gone = static_cast<std::ptrdiff_t>(count);
        const std::ptrdiff_t change = static_cast<std::ptrdiff_t>(by.size()) - gone;
        r1 = !nltk || r1 >= gone ? r1 + change : 0;
        r2 = !nltk || r2 >= gone ? r2 + change : r2_left;
    }

    const Rule* fitting(std::span<const Rule> rules) const {
        for (const Rule& rule : rules) {
            if (ends(rule.suffix)) return &rule;
        }
        return nullptr;
    }

    bool before_fits(const Rule& rule) const {
        return rule.before.empty() ||
               (length > rule.suffix.size() &&
                rule.before.find(last(rule.suffix.size())) != string_view::npos);
    }
};

bool reaches(std::ptrdiff_t region, string_view suffix) {
    return region >= static_cast<std::ptrdiff_t>(suffix.size());
}

// Possessives, plurals.
void step1a(Word& word) {
    for (const string_view suffix : {"'s'", "'s", "'"}) {
        if (!word.ends(suffix)) continue;
        word.cut(suffix.size());
        break;
    }
    if (word.ends("sses")) {
        word.cut(2);
    } else if (word.ends("ied") || word.ends("ies")) {
        word.cut(word.length > 4 ? 2 : 1);
    } else if (word.ends("s") && !word.ends("us") && !word.ends("ss") && word.length > 2 &&
               word.has_vowel(word.length - 2)) {
        word.cut(1);
    }
}

// Mends the word after -ed or -ing was taken off: hopp -> hop, hop -> hope.
void restore(Word& word) {
    static constexpr string_view doubles = "bdfgmnprt";
    if (word.ends("at") || word.ends("bl") || word.ends("iz")) {
        const std::ptrdiff_t r2 = word.r2;
        word.cut(0, "e");
        if (word.nltk && word.length <= 5 && word.r1 < 3) word.r2 = r2;
    } else if (word.length > 1 && word.last() == word.last(1) &&
               doubles.find(word.last()) != string_view::npos) {
        word.cut(1);
    } else if (word.r1 == 0 && word.ends_short(word.length)) {
        word.cut(0, "e");
        if (word.nltk) word.r1 = word.r2 = 0;
    }
}

void step1b(Word& word) {
    for (const string_view suffix : {"eedly", "ingly", "edly", "eed", "ing", "ed"}) {
        if (!word.ends(suffix)) continue;
        if (suffix.starts_with("eed")) {
            if (reaches(word.r1, suffix)) word.cut(suffix.size(), "ee");
        } else if (word.has_vowel(word.length - suffix.size())) {
            word.cut(suffix.size());
            restore(word);
        }
        return;
    }
}

void step1c(Word& word) {
    if (word.length > 2 && (word.last() == 'y' || word.last() == 'Y') && !is_vowel(word.last(1))) {
        word.cut(1, "i");
    }
}

void step2(Word& word) {
    const Rule* rule = word.fitting(step2_rules);
    if (rule == nullptr || !reaches(word.r1, rule->suffix) || !word.before_fits(*rule)) return;
    word.cut(rule->cut, rule->by, rule->by == "ate" || rule->by == "ive");
}

void step3(Word& word) {
    const Rule* rule = word.fitting(step3_rules);
    if (rule == nullptr || !reaches(word.r1, rule->suffix)) return;
    if (rule->suffix == "ative" && !reaches(word.r2, rule->suffix)) return;
    word.cut(rule->cut, rule->by);
}

void step4(Word& word) {
    const Rule* rule = word.fitting(step4_rules);
    if (rule == nullptr || !reaches(word.r2, rule->suffix) || !word.before_fits(*rule)) return;
    word.cut(rule->cut);
}

void step5(Word& word) {
    if (word.ends("l")) {
        if (word.r2 >= 1 && word.ends("ll")) word.cut(1);
    } else if (word.ends("e")) {
        if (word.r2 >= 1 || (word.r1 >= 1 && !word.ends_short(word.length - 1))) word.cut(1);
    }
}

bool is_finished(string_view word) {
    for (const string_view one : finished) {
        if (word == one) return true;
    }
    return false;
}

// Of the finished words NLTK lists these forms: -s of all, -ed and -ing of the verbs.
std::size_t nltk_listed(string_view word) {
    for (const string_view one : finished) {
        if (!word.starts_with(one)) continue;
        const string_view end = word.substr(one.size());
        if (end.empty() || end == "s") return one.size();
        if (one.ends_with("ceed") && (end == "ed" || end == "ing")) return one.size();
    }
    return 0;
}

std::size_t stem(char* text, std::size_t length, bool nltk) {
    const string_view given(text, length);
    for (const Irregular& one : irregular) {
        if (given != one.form) continue;
        std::memcpy(text, one.stem.data(), one.stem.size());
        return one.stem.size();
    }
    if (length < 3) return length;
    if (nltk) {
        if (const std::size_t listed = nltk_listed(given)) return listed;
    }
    if (text[0] == '\'') std::memmove(text, text + 1, --length);
    for (std::size_t at = 0; at < length; ++at) {
        // A y that opens the word or follows a vowel is a consonant.
        if (text[at] == 'y' && (at == 0 || is_vowel(text[at - 1]))) text[at] = 'Y';
    }
    Word word{text, length, nltk};
    word.find_regions();
    step1a(word);
    if (nltk || !is_finished({word.text, word.length})) {
        step1b(word);
        step1c(word);
        step2(word);
        step3(word);
        step4(word);
        step5(word);
    }
    for (std::size_t at = 0; at < word.length; ++at) {
        if (text[at] == 'Y') text[at] = 'y';
    }
    return word.length;
}

}  // namespace

std::size_t porter2_stem(char* word, std::size_t length) { return stem(word, length, false); }

std::size_t porter2_nltk_stem(char* word, std::size_t length) { return stem(word, length, true); }

}  // namespace rubrica
