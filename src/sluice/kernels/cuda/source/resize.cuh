// Resizes images, and computes the gradient, as in kernels/cpu/resize.cc. T:
// the type of the elements.
#pragma once

#include "sluice/cuda/elementwise.cuh"
#include "sluice/kernels/formula/resize_places.h"

namespace sluice {

using Part = Compute<T>;

// One axis: output o is between elements at[o] and at[o] + 1 (or the last one),
// with weight part[o]; or it is element at[o].
struct ResizeAxis {
  int64_t in, out;
  int64_t* at;
  Part* part;
  int64_t Next(int64_t o) const { return at[o] + 1 < in ? at[o] + 1 : in - 1; }
  // The first output with element `place` or a later one.
  int64_t FirstFrom(int64_t place) const {
    int64_t first = 0;
    for (int64_t left = out; left > 0;) {
      int64_t half = left / 2;
      if (at[first + half] < place) {
        first += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    return first;
  }
};

struct ResizeArgs {
  const void* from;
  void* to;
  int64_t n;
  ResizeAxis axis[2];  // rows and columns
  int32_t nearest, coordinates;
};

// Fills the axes' tables.
SL_GLOBAL(resize_tables, ResizeArgs, a) {
  using namespace resize_places;
  auto how = Coordinates(a.coordinates);
  int64_t all = a.axis[0].out + a.axis[1].out;
  for (int64_t i = FirstThread(); i < all; i += AllThreads()) {
    bool row = i < a.axis[0].out;
    const ResizeAxis& axis = a.axis[row ? 0 : 1];
    int64_t o = row ? i : i - a.axis[0].out;
    if (a.nearest) {
      axis.at[o] = NearestAt<uint64_t>(o, axis.in, axis.out, how);
      axis.part[o] = 0;
      continue;
    }
    double place = PlaceBetween(o, axis.in, axis.out, how);
    int64_t at = int64_t(place);
    axis.at[o] = at < axis.in ? at : axis.in - 1;
    axis.part[o] = Part(place - double(axis.at[o]));
  }
}

SL_GLOBAL(resize, ResizeArgs, a) {
  const ResizeAxis &rows = a.axis[0], &columns = a.axis[1];
  const T* x = static_cast<const T*>(a.from);
  T* y = static_cast<T*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t rest = i / columns.out, c = i - rest * columns.out;
    int64_t plane = rest / rows.out, r = rest - plane * rows.out;
    const T* image = x + plane * rows.in * columns.in;
    const T* top = image + rows.at[r] * columns.in;
    if (a.nearest) {
      y[i] = top[columns.at[c]];
      continue;
    }
    const T* bottom = image + rows.Next(r) * columns.in;
    Part down = rows.part[r], up = Part(1) - down, right = columns.part[c];
    auto column = [&](int64_t k) {
      return up * Widen(top[k]) + down * Widen(bottom[k]);
    };
    y[i] = Narrow<T>(Part((Part(1) - right) * column(columns.at[c]) +
                          right * column(columns.Next(c))));
  }
}

// The contribution of a row of the gradient to element `c` of a row.
inline Part AcrossRow(const ResizeArgs& a, const T* dy, int64_t c) {
  const ResizeAxis& columns = a.axis[1];
  Part sum = 0;
  int64_t first = columns.FirstFrom(a.nearest ? c : c - 1);
  for (int64_t i = first; i < columns.out && columns.at[i] <= c; ++i) {
    Part right = columns.part[i], g = Widen(dy[i]);
    if (columns.at[i] == c) sum += (Part(1) - right) * g;
    if (columns.Next(i) == c) sum += right * g;
  }
  return sum;
}

SL_GLOBAL(resize_grad, ResizeArgs, a) {
  const ResizeAxis &rows = a.axis[0], &columns = a.axis[1];
  const T* dy = static_cast<const T*>(a.from);
  T* dx = static_cast<T*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t rest = i / columns.in, c = i - rest * columns.in;
    int64_t plane = rest / rows.in, r = rest - plane * rows.in;
    const T* image = dy + plane * rows.out * columns.out;
    Part sum = 0;
    int64_t o = rows.FirstFrom(a.nearest ? r : r - 1);
    for (; o < rows.out && rows.at[o] <= r; ++o) {
      if (a.nearest) {
        // Added one by one, without a separate sum per row.
        const T* line = image + o * columns.out;
        for (int64_t k = columns.FirstFrom(c);
             k < columns.out && columns.at[k] == c; ++k) {
          sum += Widen(line[k]);
        }
        continue;
      }
      Part across = AcrossRow(a, image + o * columns.out, c);
      Part down = rows.part[o], up = Part(1) - down;
      if (rows.at[o] == r) sum += up * across;
      if (rows.Next(o) == r) sum += down * across;
    }
    dx[i] = Narrow<T>(sum);
  }
}

}  // namespace sluice
