// What the binding files share: how arrays come in and go out.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>

namespace nb = nanobind;

// Every array argument is bound with .noconvert(): nanobind would otherwise cast silently.
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, double>;

// Rounds, orders and sizes from Python may be any number. These bounds keep all arithmetic exact.
inline constexpr std::size_t most_rounds = std::size_t{1} << 40;
inline constexpr std::size_t longest_gram = 10000;

// How many values an array of this shape has; an error if it cannot be held.
inline std::size_t checked_size(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) {
        if (extent != 0 && size > (std::size_t{1} << 56) / extent)
            throw nb::value_error("the result would be larger than any memory");
        size *= extent;
    }
    return size;
}

inline void check_rounds(std::size_t rounds, std::size_t first = 0) {
    if (rounds > most_rounds || first > most_rounds)
        throw nb::value_error("more than 2^40 rounds");
}

inline void check_order(std::size_t n) {
    if (n < 1 || n > longest_gram) throw nb::value_error("n-grams have 1 to 10,000 words");
}

// A fresh array, not filled; its owner frees it.
template <class Value>
Value* fresh(std::initializer_list<std::size_t> shape, nb::capsule& owner) {
    auto* data = new Value[checked_size(shape)];
    owner = nb::capsule(data, [](void* p) noexcept { delete[] static_cast<Value*>(p); });
    return data;
}

inline Result make_result(std::initializer_list<std::size_t> shape) {
    nb::capsule owner;
    auto* data = fresh<double>(shape, owner);
    return Result(data, shape, owner);
}

void bind_columns(nb::module_& m);
void bind_dicts(nb::module_& m);
void bind_digests(nb::module_& m);
void bind_rouge(nb::module_& m);
void bind_meta(nb::module_& m);
void bind_meteor(nb::module_& m);
void bind_stem(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_cider(nb::module_& m);
void bind_soft_matches(nb::module_& m);
void bind_ter(nb::module_& m);
