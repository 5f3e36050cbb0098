// The windows of pooling over 1 to 3 spatial axes of [planes, ...]. T: the
// elements' type. SL_INDEX: the type that counts elements. SL_WINDOWS: kernel,
// stride, dilation and pad of each axis, and whether it has one element, for
// windows of a fixed size: divisions by constants are cheap, and each element
// needs a dozen. SL_LAST: channels last, where planes are whole images.
#pragma once

#include "sluice/cuda/affine.cuh"
#include "sluice/cuda/reducers.cuh"
#include "sluice/cuda/team.cuh"

namespace sluice {

using I = SL_INDEX;

// a / b of nonnegative numbers.
inline I Over(I a, I b) {
  if constexpr (sizeof(I) == 4) {
    return I(uint32_t(a) / uint32_t(b));
  } else {
    return Quotient(a, b);
  }
}

struct PoolWindow {
  I first, last, step, counted;
  I count() const {
    return first < last ? Over(last - first - 1, step) + 1 : 0;
  }
};

struct PoolAxis {
  I in, out;
  // Windows of a fixed size, or (kernel == 0) as many as `out` says.
  I kernel, stride, dilation, pad, pad_after, count_padding;

  PoolWindow At(I o) const {
    if (kernel == 0) {
      I first = Over(o * in, out), last = Over((o + 1) * in + out - 1, out);
      return {first, last, 1, last - first};
    }
    I start = o * stride - pad;
    I end = start + (kernel - 1) * dilation + 1, first = start;
    if (first < 0) first += Over(-first + dilation - 1, dilation) * dilation;
    I last = std::min(end, in);
    I counted = count_padding ? std::min(end, in + pad_after) - start
                              : std::max<I>(last - first, 0);
    return {first, last, dilation, counted};
  }
  // Outputs [first, last) that include all windows that contain element i.
  PoolWindow Around(I i) const {
    if (kernel == 0) {
      return {Over(i * out, in),
              std::min(Over((i + 1) * out + in - 1, in), out), 1, 0};
    }
    I low = i + pad - (kernel - 1) * dilation;
    return {low <= 0 ? 0 : Over(low + stride - 1, stride),
            std::min(Over(i + pad, stride) + 1, out), 1, 0};
  }
  bool Holds(I o, I i) const {
    if (kernel == 0) return true;
    I from = i + pad - o * stride;
    return from - Over(from, dilation) * dilation == 0;
  }
};

// As in kernels/cuda/pool.cc.
struct PoolSizes {
  int64_t in, out;
  int64_t kernel, stride, dilation, pad, pad_after, count_padding;
};

struct PoolArgs {
  Slices s;  // rows: outputs; of gradients: elements of x
  PoolSizes sizes[3];
  const T *x, *v, *dy;
  T* y;                       // for gradients: dx
  I* places;                  // in its plane, of the maximum for each output
  int64_t results, elements;  // of y, of x
  int64_t channels;

  PoolAxis Axis(int k) const {
    const PoolSizes& s = sizes[k];
    PoolAxis axis{I(s.in),       I(s.out), I(s.kernel),    I(s.stride),
                  I(s.dilation), I(s.pad), I(s.pad_after), I(s.count_padding)};
#if defined(SL_WINDOWS)
    constexpr I kWindows[3][5] = SL_WINDOWS;
    axis.kernel = kWindows[k][0];
    axis.stride = kWindows[k][1];
    axis.dilation = kWindows[k][2];
    axis.pad = kWindows[k][3];
    if (kWindows[k][4]) axis.in = axis.out = 1;
#endif
    return axis;
  }
  I InPixels() const { return Axis(0).in * Axis(1).in * Axis(2).in; }
  I OutPixels() const { return Axis(0).out * Axis(1).out * Axis(2).out; }

  // Returns the channel of element `number` of x or y, and removes it from the
  // number.
  I TakeChannel(I* number) const {
    if (!SL_LAST) return 0;
    I rest = Over(*number, I(channels)), channel = *number - rest * I(channels);
    *number = rest;
    return channel;
  }
  // The offset of a pixel of a plane.
  int64_t Place(int64_t plane, I pixels, I pixel, I channel) const {
    int64_t place = plane * pixels + pixel;
    return SL_LAST ? place * channels + channel : place;
  }
};

struct PoolWindows {
  int64_t plane;
  I channel;
  PoolWindow w[3];
  PoolWindows(const PoolArgs& a, I output) {
    I rest = output;
    channel = a.TakeChannel(&rest);
#pragma unroll
    for (int k = 2; k >= 0; --k) {
      PoolAxis axis = a.Axis(k);
      I next = Over(rest, axis.out);
      w[k] = axis.At(rest - next * axis.out);
      rest = next;
    }
    plane = rest;
  }
  // Calls f(position in the plane) for a lane's share, in order.
  template <class Team, class F>
  void Each(const PoolArgs& a, const Team& team, F f) const {
    I rows = a.Axis(1).in, columns = a.Axis(2).in;
    if (team.lanes == 1) {
      for (I i = w[0].first; i < w[0].last; i += w[0].step) {
        for (I j = w[1].first; j < w[1].last; j += w[1].step) {
          I row = (i * rows + j) * columns;
          for (I k = w[2].first; k < w[2].last; k += w[2].step) f(row + k);
        }
      }
      return;
    }
    I n1 = w[1].count(), n2 = w[2].count(), n = w[0].count() * n1 * n2;
    for (I t = team.lane; t < n; t += team.lanes) {
      I row = Over(t, n2), i = Over(row, n1);
      I k = w[2].first + (t - row * n2) * w[2].step;
      I j = w[1].first + (row - i * n1) * w[1].step;
      i = w[0].first + i * w[0].step;
      f((i * rows + j) * columns + k);
    }
  }
};

}  // namespace sluice
