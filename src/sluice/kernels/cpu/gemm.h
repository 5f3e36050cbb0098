// Matrix product C = A * B on the CPU, blocked for the caches.
//
// B is packed once into panels of kGemmColumns columns, then tasks multiply
// blocks of rows of A with all panels. Every element of C is summed over k in
// increasing order, block by block, so the result depends on the shape alone.
#pragma once

#include <cstdint>

namespace sluice {

class WorkerPool;

// Operands are row-major; `transposed` says that the matrix lies in memory as
// its transpose. Compute is float, double, uint32_t or uint64_t: halves are
// widened while packing, integers wrap.
template <class T>
struct GemmOperand {
  const T* data;
  int64_t stride;  // elements from one stored row to the next
  bool transposed;

  const T& at(int64_t row, int64_t column) const {
    return transposed ? data[column * stride + row]
                      : data[row * stride + column];
  }
};

struct GemmSize {
  int64_t m, n, k;
};

// Elements of type Compute the packed B takes; 0 when it is not packed, as with
// very few rows.
template <class Compute>
int64_t GemmPackedElements(const GemmSize& size, bool b_transposed);

// out is m x n without gaps; `packed` is scratch of GemmPackedElements.
// Instantiated for the element types of MatMul, with Compute as said above.
template <class T, class Compute>
void Gemm(const GemmSize& size, GemmOperand<T> a, GemmOperand<T> b,
          Compute* out, Compute* packed, WorkerPool* pool);

}  // namespace sluice
