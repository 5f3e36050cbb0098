// The destination of a correlation's sums: the output, or for half types a
// float buffer for one round of images, from which finished ranges are rounded.
// Calls Finish for completed ranges, from any thread.
#pragma once

#include <algorithm>
#include <type_traits>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

template <class T>
class Finished {
 public:
  using C = Compute<T>;

  // y holds all images, `sums` (for half types) those from `first` on; an image
  // is rows x pixels.
  Finished(const KernelContext& ctx, T* y, C* sums, int64_t first, int64_t rows,
           int64_t pixels)
      : ctx_(ctx), rows_(rows), pixels_(pixels) {
    y_ = y + first * rows * pixels;
    first_ = first * rows * pixels;
    if constexpr (std::is_same_v<T, C>) {
      sums_ = y_;
    } else {
      sums_ = sums;
    }
  }

  // The address of an image of this round.
  C* At(int64_t image, int64_t row, int64_t pixel) const {
    return sums_ + (image * rows_ + row) * pixels_ + pixel;
  }
  // Stores the sums of `rows` rows and `columns` columns, starting at that
  // place and possibly spanning several images, from a tile with row stride
  // `stride`.
  void Put(const C* tile, int64_t stride, int64_t image, int64_t row,
           int64_t rows, int64_t pixel, int64_t columns, bool add) const {
    for (int64_t at = 0; at < columns;) {
      int64_t n = std::min(pixels_ - pixel, columns - at);
      for (int64_t r = 0; r < rows; ++r) {
        const C* from = tile + r * stride + at;
        C* to = At(image, row + r, pixel);
        for (int64_t i = 0; i < n; ++i) to[i] = add ? to[i] + from[i] : from[i];
      }
      at += n;
      pixel = 0;
      ++image;
    }
  }
  // Reports that pixels [pixel, pixel + n) of `rows` rows are final.
  void Rows(int64_t image, int64_t row, int64_t rows, int64_t pixel,
            int64_t n) const {
    int64_t at = (image * rows_ + row) * pixels_ + pixel;
    if constexpr (!std::is_same_v<T, C>) {
      for (int64_t r = 0; r < rows; ++r) {
        const C* from = sums_ + at + r * pixels_;
        T* to = y_ + at + r * pixels_;
        SL_VECTORIZE
        for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(from[i]);
      }
    }
    ctx_.FinishTile(first_ + at, rows, pixels_, n);
  }

 private:
  const KernelContext& ctx_;
  int64_t rows_, pixels_, first_;
  T* y_;
  C* sums_;
};

}  // namespace sluice
