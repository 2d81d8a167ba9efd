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

// A fresh array of the given shape, not filled; numpy frees it.
inline Result make_result(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    auto* data = new double[size];
    const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
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
