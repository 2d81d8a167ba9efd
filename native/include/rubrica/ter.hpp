// Translation edit rate: the edits, shifts of phrases included, that turn a summary into a reference.
#pragma once
#include <cstdint>
#include <span>

namespace rubrica {

// Texts are numbers of words. The greedy search of Tercom with the limits that sacrebleu gives it.
std::int64_t ter_edits(std::span<const std::int64_t> summary,
                       std::span<const std::int64_t> reference);

}  // namespace rubrica
