// How ROUGE-1.5.5 finishes: numbers rounded as printed.
#pragma once
#include <cstddef>

namespace rubrica {

// Each value as "%.5f" prints it, read back.
void round5(const double* values, std::size_t count, double* out);

// How counts become scores: see RougeFinish in core/rouge_options.py.
struct RougeFinish {
    double alpha, epsilon, scale;
    bool printed, scale_first;
};

// Recall, precision and F of counts (hits, reference's, summary's), row-major [rows, measures, 3].
// Measure m's recall and precision are raised to exponents[m].
void rouge_scores(const double* counts, std::size_t rows, std::size_t measures,
                  const double* exponents, const RougeFinish& finish, double* out);

}  // namespace rubrica
