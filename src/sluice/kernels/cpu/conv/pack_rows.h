// Packs the weights of a correlation for a matrix product. Plain functions.
#pragma once

#include <algorithm>

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/kernels/cpu/conv/transpose.h"

namespace sluice {

// Packs a panel of `rows` rows from w on, zeros up to mr; k in [k0, k0 + n) of
// (channel, tap): to[k][mr].
template <class T, class C>
void PackRows(const Correlation& c, const T* w, int64_t rows, int64_t k0,
              int64_t n, int mr, C* to) {
  int64_t taps = c.taps();
  if (rows < mr) std::fill(to, to + n * mr, C(0));
  if (!c.flip) {  // a row is contiguous in k
    conv::Transpose(w + k0, c.w_row, rows, n, to, mr);
    return;
  }
  // Within a channel the taps are visited from the last to the first.
  int64_t channel = k0 / taps, tap = k0 % taps;
  while (n > 0) {
    int64_t count = std::min(taps - tap, n);
    conv::Transpose(w + channel * c.w_channel + taps - tap - count, c.w_row,
                    rows, count, to + (count - 1) * mr, -mr);
    to += count * mr;
    n -= count;
    tap = 0, ++channel;
  }
}

}  // namespace sluice
