// Iterates over the windows of one plane, for kernels of pools. Plain
// functions.
#pragma once

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"

namespace sluice {

// Calls f(output position in the plane, window 0, window 1, window 2).
template <class F>
void ForEachWindow(const PoolGeometry& g, F&& f) {
  int64_t at = 0;
  for (int64_t o0 = 0; o0 < g.axis[0].out; ++o0) {
    PoolWindow w0 = g.axis[0].At(o0);
    for (int64_t o1 = 0; o1 < g.axis[1].out; ++o1) {
      PoolWindow w1 = g.axis[1].At(o1);
      for (int64_t o2 = 0; o2 < g.axis[2].out; ++o2, ++at) {
        f(at, w0, w1, g.axis[2].At(o2));
      }
    }
  }
}

// The first of the greatest elements of a window, -1 if the window is empty.
template <class T>
int64_t Greatest(const PoolGeometry& g, const T* plane, const PoolWindow& w0,
                 const PoolWindow& w1, const PoolWindow& w2) {
  using C = Compute<T>;
  int64_t best = -1;
  C greatest = 0;
  for (int64_t i = w0.first; i < w0.last; i += w0.step) {
    for (int64_t j = w1.first; j < w1.last; j += w1.step) {
      int64_t row = (i * g.axis[1].in + j) * g.axis[2].in;
      for (int64_t k = w2.first; k < w2.last; k += w2.step) {
        C v = static_cast<C>(plane[row + k]);
        if (best < 0 || v > greatest || (v != v && greatest == greatest)) {
          best = row + k;
          greatest = v;
        }
      }
    }
  }
  return best;
}

}  // namespace sluice
