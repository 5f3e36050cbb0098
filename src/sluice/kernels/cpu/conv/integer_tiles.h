// Convolutions of integers with many channels as matrix products: blocks of
// positions are gathered into the cache, one column each, and multiplied with
// panels of the filters, whose rows fill vectors.
//
// Integers wrap, so sums are the same in any order and for any number of
// threads. Any thread.
#pragma once

#include <cstdint>

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// Both directions of a convolution:
//
//   to[r][q] = sum over c, t of w(r, c, t) * from[c][what q meets by t]
//
// for every image and group. w(r, c, t) is at group * w_group + r * w_row + c *
// w_channel + t.
struct IntegerProduct {
  int64_t batch, groups;
  int64_t channels, rows;  // of one group
  ConvAxes from, to, kernel, stride, dilation, pad;
  int64_t w_group, w_row, w_channel;
  bool transposed;

  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t depth() const { return channels * taps(); }
  int64_t from_pixels() const { return from[0] * from[1] * from[2]; }
  int64_t to_pixels() const { return to[0] * to[1] * to[2]; }
  // The element of `from` on that axis that contributes to element q of `to`
  // through tap t; -1: none.
  int64_t Meets(int axis, int64_t q, int64_t t) const;
};

IntegerProduct IntegerForward(const ConvGeometry& g);
IntegerProduct IntegerTransposed(const ConvGeometry& g);

// Fewer rows would leave most of a vector empty.
inline bool FitsIntegerTiles(const IntegerProduct& p) { return p.rows >= 8; }

// Workspace bytes of IntegerTiles<T>.
template <class T>
int64_t IntegerTilesWorkspace(const IntegerProduct& p);

// `to` is output 0 of the launch; calls Finish for every element. Instantiated
// for int8_t, int16_t, int32_t, int64_t, uint8_t.
template <class T>
void IntegerTiles(const IntegerProduct& p, const T* w, const T* from, T* to,
                  const KernelContext& ctx);

}  // namespace sluice
