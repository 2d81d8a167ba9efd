#include "rubrica/porter.hpp"

#include <cstring>
#include <initializer_list>
#include <string_view>

namespace rubrica {
namespace {

using std::string_view;

bool is_aeiou(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

// The word under the knife: a buffer that only ever shrinks below its first length.
struct Word {
    char* text;
    std::size_t length;

    char last(std::size_t back = 0) const { return text[length - 1 - back]; }

    bool ends(string_view suffix) const {
        // The last letter decides nearly always.
        return length >= suffix.size() && last() == suffix.back() &&
               std::memcmp(text + length - suffix.size(), suffix.data(), suffix.size()) == 0;
    }

    void replace(string_view suffix, string_view by) {
        length -= suffix.size();
        std::memcpy(text + length, by.data(), by.size());
        length += by.size();
    }

    // Calls see(is_vowel) for each of the first n letters. A y is a vowel after a consonant (a y
    // among them) and a consonant elsewhere; digits are consonants.
    template <class See>
    void classes(std::size_t n, See see) const {
        bool vowel = true;  // so that a leading y is a consonant
        for (std::size_t i = 0; i < n; ++i) {
            vowel = is_aeiou(text[i]) || (text[i] == 'y' && !vowel);
            see(vowel);
        }
    }

    // How many vowel groups of the first n letters are followed by a consonant, counted up to 2:
    // no rule asks for more.
    int measure(std::size_t n) const {
        bool before = false;
        int count = 0;
        classes(n, [&](bool vowel) {
            count += before && !vowel;
            before = vowel;
        });
        return count < 2 ? count : 2;
    }

    bool has_vowel(std::size_t n) const {
        bool any = false;
        classes(n, [&](bool vowel) { any |= vowel; });
        return any;
    }

    bool is_vowel(std::size_t index) const {
        bool at = false;
        classes(index + 1, [&](bool vowel) { at = vowel; });
        return at;
    }
};

struct Rule {
    string_view suffix, by;
};

// The rule whose suffix fits is the only one tried; it applies if enough measure is left. In each
// list at most one suffix fits, or the longer stands first.
bool try_rule(Word& word, Rule rule, int measure) {
    if (!word.ends(rule.suffix)) return false;
    if (word.measure(word.length - rule.suffix.size()) >= measure) {
        word.replace(rule.suffix, rule.by);
    }
    return true;
}

// Step 2 of all, with the rules that each adds.
void step2(Word& word, std::initializer_list<Rule> own) {
    for (const Rule rule : own) {
        if (try_rule(word, rule, 1)) return;
    }
    // clang-format off
    for (const Rule rule : {
             Rule{"ational", "ate"}, Rule{"tional", "tion"}, Rule{"enci", "ence"},
             Rule{"anci", "ance"}, Rule{"izer", "ize"}, Rule{"alli", "al"},
             Rule{"entli", "ent"}, Rule{"eli", "e"}, Rule{"ousli", "ous"}, Rule{"ization", "ize"},
             Rule{"ation", "ate"}, Rule{"ator", "ate"}, Rule{"alism", "al"},
             Rule{"iveness", "ive"}, Rule{"fulness", "ful"}, Rule{"ousness", "ous"},
             Rule{"aliti", "al"}, Rule{"iviti", "ive"}, Rule{"biliti", "ble"}}) {
        if (try_rule(word, rule, 1)) return;
    }
    // clang-format on
}

void step3(Word& word) {
    for (const Rule rule :
         {Rule{"icate", "ic"}, Rule{"ative", ""}, Rule{"alize", "al"}, Rule{"iciti", "ic"},
          Rule{"ical", "ic"}, Rule{"ful", ""}, Rule{"ness", ""}}) {
        if (try_rule(word, rule, 1)) return;
    }
}

// Step 4: the first suffix that fits goes, if a measure of 2 is left.
void strip(Word& word, std::initializer_list<string_view> suffixes) {
    for (const string_view suffix : suffixes) {
        if (try_rule(word, {suffix, ""}, 2)) return;
    }
}

// ---------------------------------------------------------------- ROUGE-1.5.5

// One consonant run without an inner y, one letter of aeiouy, one letter that is none of aeiouwxy.
bool rouge_short(const Word& word, std::size_t n) {
    if (n < 3) return false;
    const char end = word.text[n - 1], middle = word.text[n - 2];
    if (is_aeiou(end) || end == 'w' || end == 'x' || end == 'y') return false;
    if (!is_aeiou(middle) && middle != 'y') return false;
    for (std::size_t i = 0; i < n - 2; ++i) {
        if (is_aeiou(word.text[i]) || (i > 0 && word.text[i] == 'y')) return false;
    }
    return true;
}

void rouge_step1(Word& word) {
    if (word.ends("sses") || word.ends("ies")) {
        word.length -= 2;
    } else if (word.length > 1 && word.last() == 's' && word.last(1) != 's') {
        word.length -= 1;
    }

    if (word.ends("eed")) {
        if (word.measure(word.length - 3) > 0) word.length -= 1;
    } else {
        const std::size_t cut = word.ends("ed") ? 2 : word.ends("ing") ? 3 : 0;
        if (cut != 0 && word.has_vowel(word.length - cut)) {
            word.length -= cut;
            const char end = word.last();
            if (word.ends("at") || word.ends("bl") || word.ends("iz")) {
                word.replace("", "e");
            } else if (word.length > 1 && end == word.last(1) && !is_aeiou(end) && end != 'y' &&
                       end != 'l' && end != 's' && end != 'z') {
                word.length -= 1;
            } else if (rouge_short(word, word.length)) {
                word.replace("", "e");
            }
        }
    }

    if (word.last() == 'y' && word.has_vowel(word.length - 1)) word.replace("y", "i");
}

// ROUGE-1.5.5 runs the suffixes of step 4 as three tests, each on the outcome of the one before:
// environmental -> environment -> environ.
void rouge_step4(Word& word) {
    strip(word, {"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ou", "ism",
                 "ate", "iti", "ous", "ive", "ize"});
    strip(word, {"ment"});
    if (word.ends("ent")) {
        strip(word, {"ent"});
    } else if ((word.ends("sion") || word.ends("tion")) && word.measure(word.length - 3) > 1) {
        word.length -= 3;
    }
}

// ---------------------------------------------------------------- Porter's own

// consonant, vowel, consonant at the end, the last not w, x or y.
bool ends_cvc(const Word& word, std::size_t n) {
    if (n < 3) return false;
    const char end = word.text[n - 1];
    return end != 'w' && end != 'x' && end != 'y' && !word.is_vowel(n - 1) &&
           word.is_vowel(n - 2) && !word.is_vowel(n - 3);
}

// -ed and -ing, and mending the word after them: hopp -> hop, fil -> file.
template <class Short>
void strip_participle(Word& word, Short ends_short) {
    const std::size_t cut = word.ends("ed") ? 2 : word.ends("ing") ? 3 : 0;
    if (cut == 0 || !word.has_vowel(word.length - cut)) return;
    word.length -= cut;
    const char end = word.last();
    if (word.ends("at") || word.ends("bl") || word.ends("iz")) {
        word.replace("", "e");
    } else if (word.length > 1 && end == word.last(1) && !word.is_vowel(word.length - 1)) {
        if (end != 'l' && end != 's' && end != 'z') word.length -= 1;
    } else if (word.measure(word.length) == 1 && ends_short(word, word.length)) {
        word.replace("", "e");
    }
}

void strip_plural(Word& word) {
    if (word.ends("sses") || word.ends("ies")) {
        word.length -= 2;
    } else if (word.ends("s") && !word.ends("ss")) {
        word.length -= 1;
    }
}

void porter_step1(Word& word) {
    strip_plural(word);
    if (word.ends("eed")) {
        if (word.measure(word.length - 3) > 0) word.length -= 1;
    } else {
        strip_participle(word, ends_cvc);
    }
    if (word.ends("y") && word.has_vowel(word.length - 1)) word.replace("y", "i");
}

void porter_step4(Word& word) {
    if (word.ends("ion")) {
        if (word.measure(word.length - 3) > 1 && (word.last(3) == 's' || word.last(3) == 't')) {
            word.length -= 3;
        }
        return;
    }
    strip(word, {"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent",
                 "ou", "ism", "ate", "iti", "ous", "ive", "ize"});
}

template <class Short>
void step5(Word& word, Short ends_short) {
    if (word.ends("e")) {
        const int m = word.measure(word.length - 1);
        if (m > 1 || (m == 1 && !ends_short(word, word.length - 1))) word.length -= 1;
    }
    // m of the word and of the word less one l is the same: both end in one run of consonants.
    if (word.ends("ll") && word.measure(word.length - 1) > 1) word.length -= 1;
}

// ---------------------------------------------------------------- NLTK

// NLTK adds words of one vowel and one consonant.
bool nltk_ends_cvc(const Word& word, std::size_t n) {
    return n == 2 ? !word.is_vowel(1) && word.is_vowel(0) : ends_cvc(word, n);
}

void nltk_step1(Word& word) {
    if (word.ends("ies") && word.length == 4) {
        word.length -= 1;
    } else {
        strip_plural(word);
    }

    if (word.ends("ied")) {
        word.length -= word.length == 4 ? 1 : 2;
    } else if (word.ends("eed")) {
        if (word.measure(word.length - 3) > 0) word.length -= 1;
    } else {
        strip_participle(word, nltk_ends_cvc);
    }

    if (word.length > 2 && word.last() == 'y' && !word.is_vowel(word.length - 2)) {
        word.replace("y", "i");
    }
}

void nltk_step2(Word& word) {
    // NLTK tries this rule first and, when it applies, starts the step again.
    while (word.ends("alli") && word.measure(word.length - 4) > 0) word.length -= 2;
    if (word.ends("logi")) {  // the l counts with the stem
        if (word.measure(word.length - 3) > 0) word.length -= 1;
        return;
    }
    step2(word, {{"fulli", "ful"}, {"bli", "ble"}});
}

// NLTK's irregular forms that are longer than three letters or stem to something else.
struct Irregular {
    string_view form, stem;
};
constexpr Irregular nltk_irregular[] = {
    {"sky", "sky"},        {"skies", "sky"},       {"dying", "die"},        {"lying", "lie"},
    {"tying", "tie"},      {"news", "news"},       {"innings", "inning"},   {"inning", "inning"},
    {"outings", "outing"}, {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"},
    {"howe", "howe"},      {"proceed", "proceed"}, {"exceed", "exceed"},    {"succeed", "succeed"},
};

}  // namespace

std::size_t porter_1980_stem(char* text, std::size_t length) {
    Word word{text, length};
    porter_step1(word);
    step2(word, {{"abli", "able"}});
    step3(word);
    porter_step4(word);
    step5(word, ends_cvc);
    return word.length;
}

std::size_t porter_stem(char* text, std::size_t length) {
    if (length < 3) return length;
    Word word{text, length};
    porter_step1(word);
    step2(word, {{"logi", "log"}, {"bli", "ble"}});
    step3(word);
    porter_step4(word);
    step5(word, ends_cvc);
    return word.length;
}

std::size_t porter_nltk_stem(char* text, std::size_t length) {
    for (const Irregular& one : nltk_irregular) {
        if (string_view(text, length) != one.form) continue;
        std::memcpy(text, one.stem.data(), one.stem.size());
        return one.stem.size();
    }
    if (length < 3) return length;
    Word word{text, length};
    nltk_step1(word);
    nltk_step2(word);
    step3(word);
    porter_step4(word);
    step5(word, nltk_ends_cvc);
    return word.length;
}

std::size_t porter_rouge_stem(char* text, std::size_t length) {
    if (length < 3) return length;
    Word word{text, length};
    rouge_step1(word);
    step2(word, {{"logi", "log"}, {"bli", "ble"}});
    step3(word);
    rouge_step4(word);
    step5(word, rouge_short);
    return word.length;
}

}  // namespace rubrica
