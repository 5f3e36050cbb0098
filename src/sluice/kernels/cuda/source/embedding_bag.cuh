// Sums rows of a table by bags: bag b holds the indices from offsets[b] up to
// offsets[b + 1]. T: the type of the table; I: the type of indices and offsets.
#pragma once

#include "sluice/cuda/checks.cuh"
#include "sluice/cuda/elementwise.cuh"

namespace sluice {

struct BagArgs {
  const void* from;  // the table; or the gradient of the sums
  const void* index;
  const void* offsets;
  void* to;
  int64_t rows, columns, bags, count;
  int32_t mean;
  Check* check[2];
};

// The offsets of a bag, clamped to bounds: check_offsets reports wrong ones.
struct Bag {
  int64_t begin, end;
  Bag(const BagArgs& a, int64_t b) {
    const I* offsets = static_cast<const I*>(a.offsets);
    begin = offsets[b];
    end = b + 1 < a.bags ? int64_t(offsets[b + 1]) : a.count;
    begin = begin < 0 ? 0 : begin > a.count ? a.count : begin;
    end = end < begin ? begin : end > a.count ? a.count : end;
  }
};

SL_GLOBAL(check_offsets, BagArgs, a) {
  const I* offsets = static_cast<const I*>(a.offsets);
  for (int64_t b = FirstThread(); b < a.bags; b += AllThreads()) {
    int64_t at = offsets[b], before = b > 0 ? int64_t(offsets[b - 1]) : 0;
    if (at >= before && at <= a.count && (b > 0 || at == 0)) continue;
    if (!BeginReport(a.check[0], b)) continue;
    volatile Check *first = a.check[0], *second = a.check[1];
    first->b = at;
    second->b = before;
    second->found = 1;
    EndReport(a.check[0]);
  }
}

SL_GLOBAL(bag_sums, BagArgs, a) {
  using C = Compute<T>;
  const T* table = static_cast<const T*>(a.from);
  const I* index = static_cast<const I*>(a.index);
  T* to = static_cast<T*>(a.to);
  int64_t n = a.bags * a.columns;
  for (int64_t i = FirstThread(); i < n; i += AllThreads()) {
    int64_t b = i / a.columns, k = i - b * a.columns;
    Bag bag(a, b);
    C sum = 0;
    for (int64_t j = bag.begin; j < bag.end; ++j) {
      int64_t row = index[j];
      if (row < 0 || row >= a.rows) continue;
      sum += Widen(table[row * a.columns + k]);
    }
    int64_t held = bag.end - bag.begin;
    C scale = a.mean && held > 0 ? 1 / C(held) : C(1);
    to[i] = Narrow<T>(C(sum * scale));
  }
}

// Row j of the result is the scaled row of its bag.
SL_GLOBAL(bag_rows, BagArgs, a) {
  using C = Compute<T>;
  const T* dy = static_cast<const T*>(a.from);
  const I* offsets = static_cast<const I*>(a.offsets);
  T* to = static_cast<T*>(a.to);
  int64_t n = a.count * a.columns;
  for (int64_t i = FirstThread(); i < n; i += AllThreads()) {
    int64_t j = i / a.columns, k = i - j * a.columns;
    // The last bag that starts at j or before.
    int64_t b = 0;
    for (int64_t left = a.bags; left > 1;) {
      int64_t half = left / 2;
      b += offsets[b + half] <= j ? half : 0;
      left -= half;
    }
    Bag bag(a, b);
    C scale = a.mean ? 1 / C(bag.end - bag.begin) : C(1);
    to[i] = Narrow<T>(C(Widen(dy[b * a.columns + k]) * scale));
  }
}

}  // namespace sluice
