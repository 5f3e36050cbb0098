// Inner products of one vector with many rows,
//   y[j] = sum over p of x[p] * b[j * stride + p],
// which is a matrix-vector product with a row-major matrix, at memory speed.
// Sums run in lanes that are added in a fixed order at the end: they depend
// only on k. Plain functions; any thread.
#pragma once

#include <cstdint>

namespace sluice {

// T is the element type, C the type of sums: those of GemmType except int8.
template <class T, class C>
void DotRows(const T* x, const T* b, int64_t stride, int64_t rows, int64_t k,
             C* y);

}  // namespace sluice
