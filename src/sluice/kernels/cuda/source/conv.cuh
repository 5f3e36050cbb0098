// Convolutions and their gradients where no library is available: one thread
// per result. T: the elements' type. Sums are in double, because they may be
// long.
#pragma once

#include "sluice/cuda/affine.cuh"

namespace sluice {

// As in kernels/cuda/plain_conv.cc. Axes: batch, channels, three spatial.
struct ConvArgs {
  const T *x, *w, *y;
  T* out;
  int64_t groups, channels, rows;  // of one group: of x, of y
  int64_t batch, in[3], sizes[3], kernel[3];
  int64_t stride[3], dilation[3], pad[3];
  int64_t x_step[5], w_step[5], y_step[5];
  int64_t n;

  // Converts a number to indices of the last five axes, of these sizes.
  static void Split(int64_t number, const int64_t* size, int64_t* at) {
    for (int k = 4; k >= 0; --k) {
      int64_t rest = Quotient(number, size[k]);
      at[k] = number - rest * size[k];
      number = rest;
    }
  }
  static int64_t Place(const int64_t* at, const int64_t* step) {
    int64_t place = 0;
    for (int k = 0; k < 5; ++k) place += at[k] * step[k];
    return place;
  }
  // Calls f(tap, pixel) for the taps that involve an element, with pixels of
  // the other side.
  template <class F>
  void EachTap(const int64_t* from, bool back, F f) const {
    int64_t tap[3], to[3];
    for (tap[0] = 0; tap[0] < kernel[0]; ++tap[0]) {
      if (!Meets(0, from[0], tap[0], back, &to[0])) continue;
      for (tap[1] = 0; tap[1] < kernel[1]; ++tap[1]) {
        if (!Meets(1, from[1], tap[1], back, &to[1])) continue;
        for (tap[2] = 0; tap[2] < kernel[2]; ++tap[2]) {
          if (Meets(2, from[2], tap[2], back, &to[2])) f(tap, to);
        }
      }
    }
  }
  // back: from an element of x to one of y, else the reverse.
  bool Meets(int k, int64_t from, int64_t tap, bool back, int64_t* to) const {
    if (!back) {
      *to = from * stride[k] + tap * dilation[k] - pad[k];
      return *to >= 0 && *to < in[k];
    }
    int64_t far = from + pad[k] - tap * dilation[k];
    if (far < 0) return false;
    *to = far / stride[k];
    return *to * stride[k] == far && *to < sizes[k];
  }
};

SL_GLOBAL(conv_forward, ConvArgs, a) {
  int64_t size[5] = {a.batch, a.groups * a.rows, a.sizes[0], a.sizes[1],
                     a.sizes[2]};
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t at[5];
    ConvArgs::Split(i, size, at);
    int64_t first = at[1] / a.rows * a.channels;
    double sum = 0;
    for (int64_t c = 0; c < a.channels; ++c) {
      a.EachTap(at + 2, false, [&](const int64_t* tap, const int64_t* pixel) {
        int64_t x[5] = {at[0], first + c, pixel[0], pixel[1], pixel[2]};
        int64_t w[5] = {at[1], c, tap[0], tap[1], tap[2]};
        sum += double(Widen(a.x[ConvArgs::Place(x, a.x_step)])) *
               double(Widen(a.w[ConvArgs::Place(w, a.w_step)]));
      });
    }
    a.out[ConvArgs::Place(at, a.y_step)] = Narrow<T>(Compute<T>(sum));
  }
}

SL_GLOBAL(conv_input_grad, ConvArgs, a) {
  int64_t size[5] = {a.batch, a.groups * a.channels, a.in[0], a.in[1], a.in[2]};
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t at[5];
    ConvArgs::Split(i, size, at);
    int64_t group = at[1] / a.channels;
    double sum = 0;
    for (int64_t r = group * a.rows; r < (group + 1) * a.rows; ++r) {
      a.EachTap(at + 2, true, [&](const int64_t* tap, const int64_t* pixel) {
        int64_t y[5] = {at[0], r, pixel[0], pixel[1], pixel[2]};
        int64_t w[5] = {r, at[1] - group * a.channels, tap[0], tap[1], tap[2]};
        sum += double(Widen(a.y[ConvArgs::Place(y, a.y_step)])) *
               double(Widen(a.w[ConvArgs::Place(w, a.w_step)]));
      });
    }
    a.out[ConvArgs::Place(at, a.x_step)] = Narrow<T>(Compute<T>(sum));
  }
}

SL_GLOBAL(conv_filter_grad, ConvArgs, a) {
  int64_t size[5] = {a.groups * a.rows, a.channels, a.kernel[0], a.kernel[1],
                     a.kernel[2]};
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t at[5], y[5], x[5];
    ConvArgs::Split(i, size, at);
    double sum = 0;
    y[1] = at[0];
    x[1] = at[0] / a.rows * a.channels + at[1];
    for (y[0] = 0; y[0] < a.batch; ++y[0]) {
      x[0] = y[0];
      for (y[2] = 0; y[2] < a.sizes[0]; ++y[2]) {
        if (!a.Meets(0, y[2], at[2], false, &x[2])) continue;
        for (y[3] = 0; y[3] < a.sizes[1]; ++y[3]) {
          if (!a.Meets(1, y[3], at[3], false, &x[3])) continue;
          for (y[4] = 0; y[4] < a.sizes[2]; ++y[4]) {
            if (!a.Meets(2, y[4], at[4], false, &x[4])) continue;
            sum += double(Widen(a.x[ConvArgs::Place(x, a.x_step)])) *
                   double(Widen(a.y[ConvArgs::Place(y, a.y_step)]));
          }
        }
      }
    }
    a.out[ConvArgs::Place(at, a.w_step)] = Narrow<T>(Compute<T>(sum));
  }
}

}  // namespace sluice
