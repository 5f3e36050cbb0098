// Inner products of one vector with many rows,
//   y[j] = sum over p of x[p] * b[j * stride + p],
// which is a matrix times a vector where the matrix lies row by row, at the
// speed it comes from memory. Sums run in lanes that are added up in a fixed
// order at the end: they depend on k alone.
#pragma once

#include <cstdint>

namespace sluice {

// T is an element, C what sums are made of: those of GemmType except int8.
template <class T, class C>
void DotRows(const T* x, const T* b, int64_t stride, int64_t rows, int64_t k,
             C* y);

}  // namespace sluice
