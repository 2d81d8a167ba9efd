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
#include <fstream>
#include <iterator>
#include <random>
#include <string>

int main(int argc, char** argv) {
    const auto run = [](const std::string& input) {
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    };
    for (int i = 1; i < argc; ++i) {
        std::ifstream file(argv[i], std::ios::binary);
        run({std::istreambuf_iterator<char>(file), {}});
    }
    if (argc > 1) return 0;
    std::mt19937 random(1);
    std::string input = "the cat sat. On the\nmat\xE2\x84\xAA \xC4\xB0 the ";
    input += '\0';
    input += "a Cat was on\n\nthe mat; statements running 1980s";
    for (int round = 0; round < 600; ++round) {
        // Copy a piece of it elsewhere, or change a byte.
        const std::size_t at = random() % input.size(), to = random() % (input.size() + 1);
        if (random() % 3 != 0) {
            input.insert(to, input.substr(at, random() % 40));
        } else {
            input[at] = static_cast<char>(random());
        }
        if (input.size() > 1200) input = input.substr(random() % 900, 200);
        run(input);
    }
    std::puts("600 inputs, no difference");
}
#endif
