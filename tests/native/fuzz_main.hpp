// A main for fuzz targets without libFuzzer: it runs the files it is given, or random mutations of a seed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Any bytes, mostly of a text, behind some that choose options and sizes.
inline std::string random_input(std::mt19937& random) {
    static const std::string letters =
        std::string("aabbcde  the. \n\0AZ09'", 21) + "\xC3\xA9\xE2\x84\xAA\xF0\x9F\x98\x80";
    std::string input(random() % (random() % 8 == 0 ? 500 : 100), ' ');
    const bool any = random() % 2 == 0;
    for (std::size_t i = 0; i < input.size(); ++i) {
        input[i] = any || i < 12 ? static_cast<char>(random()) : letters[random() % letters.size()];
    }
    return input;
}

// FUZZ_INPUTS in the environment is the number of inputs. They are mutations of the seed; of random bytes without one.
inline int run_standalone(int argc, char** argv, const std::string& seed, int inputs) {
    const auto run = [](const std::string& input) {
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    };
    for (int i = 1; i < argc; ++i) {
        std::ifstream file(argv[i], std::ios::binary);
        run({std::istreambuf_iterator<char>(file), {}});
    }
    if (argc > 1) return 0;
    if (const char* number = std::getenv("FUZZ_INPUTS")) inputs = std::atoi(number);
    std::mt19937 random(1);
    std::string input = seed;
    for (int round = 0; round < inputs; ++round) {
        // Back to the seed now and then: long walks end in noise that nothing accepts.
        if (round % 4 == 0 || input.empty()) input = seed.empty() ? random_input(random) : seed;
        if (input.empty()) continue;
        const std::size_t at = random() % input.size(), to = random() % (input.size() + 1);
        switch (random() % 4) {
            case 0: input[at] = static_cast<char>(random()); break;
            case 1: input.erase(at, random() % 8); break;
            default: input.insert(to, input.substr(at, random() % 40));
        }
        if (input.size() > 1200) input = input.substr(random() % 900, 200);
        run(input);
    }
    std::printf("%d inputs, no difference\n", inputs);
    return 0;
}
