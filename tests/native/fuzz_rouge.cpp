// Fuzzing: any bytes are a summary, a zero byte, a reference. Crashes, sanitizer reports and
// differences from the plain definitions all stop it. With clang: -fsanitize=fuzzer. Elsewhere
// -DRUBRICA_STANDALONE gives a main that runs the files it is given, or random mutations.
#include <cstddef>
#include <cstdint>

#include "judge.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 4096) return 0;  // the plain definitions are slow
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t middle = bytes.find('\0');
    const std::string_view summary = bytes.substr(0, middle);
    const std::string_view reference = middle == bytes.npos ? summary : bytes.substr(middle + 1);
    judge(summary, reference);

    rubrica::RougeOptions options = every_measure();
    options.tokens = rubrica::Tokens::lower;
    for (const auto stemmer : {rubrica::Stemmer::porter_nltk, rubrica::Stemmer::porter_rouge}) {
        options.stemmer = stemmer;
        options.exceptions = false;
        kernel_counts(options, summary, reference);
        (stemmer == rubrica::Stemmer::porter_nltk ? options.limit.bytes : options.limit.words) =
            1 + size % 50;
        kernel_counts(options, summary, reference);
    }
    return 0;
}

#ifdef RUBRICA_STANDALONE
#include "fuzz_main.hpp"

int main(int argc, char** argv) {
    std::string seed = "the cat sat. On the\nmat\xE2\x84\xAA \xC4\xB0 the ";
    seed += '\0';
    return run_standalone(argc, argv, seed + "a Cat was on\n\nthe mat; statements running 1980s", 600);
}
#endif
