// The sizes of one pooling op over 1 to 3 spatial axes (right-aligned, as in
// conv/geometry.h) of [batch, channels, ...], and its windows. Plain values.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// The elements of one window along one axis: first, first + step, ... < last.
// Empty if first >= last.
struct PoolWindow {
  int64_t first, last, step;
  int64_t counted;  // an average's divisor along this axis
};

struct PoolAxis {
  int64_t in = 1, out = 1;
  // Windows of a fixed size, or (kernel == 0) as many as `out` says, which
  // cover the axis evenly.
  int64_t kernel = 1, stride = 1, dilation = 1, pad = 0, pad_after = 0;
  bool count_padding = false;

  PoolWindow At(int64_t o) const {
    if (kernel == 0) {
      // floor(o * in / out) to ceil((o + 1) * in / out).
      __extension__ typedef unsigned __int128 Wide;
      Wide place(static_cast<uint64_t>(o)), size(static_cast<uint64_t>(in));
      Wide parts(static_cast<uint64_t>(out));
      auto first = static_cast<int64_t>(place * size / parts);
      auto last =
          static_cast<int64_t>(((place + 1) * size + parts - 1) / parts);
      return {first, last, 1, last - first};
    }
    int64_t start = o * stride - pad;
    int64_t end = start + (kernel - 1) * dilation + 1;
    int64_t first = start;
    if (first < 0) first += (-first + dilation - 1) / dilation * dilation;
    int64_t last = std::min(end, in);
    int64_t counted = count_padding ? std::min(end, in + pad_after) - start
                                    : std::max<int64_t>(last - first, 0);
    return {first, last, dilation, counted};
  }

  // Outputs [begin, end) whose windows are entirely inside; empty for adaptive
  // pools.
  struct Range {
    int64_t begin, end;
  };
  Range WholeWindows() const {
    if (kernel == 0) return {0, 0};
    int64_t begin = std::min(pad == 0 ? 0 : (pad - 1) / stride + 1, out);
    int64_t room = in + pad - (kernel - 1) * dilation - 1;
    if (room < 0) return {begin, begin};
    return {begin, std::clamp(room / stride + 1, begin, out)};
  }
};

struct PoolGeometry {
  int64_t planes = 0;  // batch * channels
  PoolAxis axis[kConvAxes];

  int64_t in_pixels() const { return axis[0].in * axis[1].in * axis[2].in; }
  int64_t out_rows() const { return axis[0].out * axis[1].out; }
  int64_t out_pixels() const { return out_rows() * axis[2].out; }
};

// REQUIRES: shapes and attributes accepted by the op's shape function. Adaptive
// pools have no attribute kernel_size.
PoolGeometry MakePoolGeometry(const Attrs& attrs, const Shape& x,
                              const Shape& y);

namespace pool_internal {
Status Forward(ShapeContext& c, int axes);        // x -> y
Status GradFromInput(ShapeContext& c, int axes);  // x, dy -> dx
Status GradFromShape(ShapeContext& c, int axes);  // dy, shape of x -> dx
Status Adaptive(ShapeContext& c, int axes);       // x -> y
Status WantEqualShapes(const ShapeContext& c);    // of x and v
Status AdaptiveGradFromInput(ShapeContext& c, int axes);
Status AdaptiveGradFromShape(ShapeContext& c, int axes);
}  // namespace pool_internal

template <int kAxes>
Status pool_shape(ShapeContext& c) {
  return pool_internal::Forward(c, kAxes);
}
template <int kAxes>
Status max_pool_pick_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(pool_internal::Forward(c, kAxes));
  return pool_internal::WantEqualShapes(c);
}
template <int kAxes>
Status adaptive_max_pool_pick_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(pool_internal::Adaptive(c, kAxes));
  return pool_internal::WantEqualShapes(c);
}
template <int kAxes>
Status max_pool_grad_shape(ShapeContext& c) {
  return pool_internal::GradFromInput(c, kAxes);
}
template <int kAxes>
Status avg_pool_grad_shape(ShapeContext& c) {
  return pool_internal::GradFromShape(c, kAxes);
}
template <int kAxes>
Status adaptive_pool_shape(ShapeContext& c) {
  return pool_internal::Adaptive(c, kAxes);
}
template <int kAxes>
Status adaptive_max_pool_grad_shape(ShapeContext& c) {
  return pool_internal::AdaptiveGradFromInput(c, kAxes);
}
template <int kAxes>
Status adaptive_avg_pool_grad_shape(ShapeContext& c) {
  return pool_internal::AdaptiveGradFromShape(c, kAxes);
}

}  // namespace sluice
