// Counts the elements in each of equally wide bins. T: the elements' type.
// Integer counts do not depend on the order of additions.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

constexpr int kSharedBins = 4096;  // counted separately by each block

struct HistogramArgs {
  const T* x;
  unsigned long long* counts;
  int64_t n, bins;
  double min, max;

  // Negative: out of range.
  int64_t BinOf(T element) const {
    double v = double(Widen(element));
    // NaN is in no bin; max belongs to the last bin.
    if (!(v >= min && v <= max)) return -1;
    double scale = double(bins) / (max - min);
    return std::min(int64_t((v - min) * scale), bins - 1);
  }
};

SL_GLOBAL(clear_bins, HistogramArgs, a) {
  for (int64_t b = FirstThread(); b < a.bins; b += AllThreads()) {
    a.counts[b] = 0;
  }
}

SL_GLOBAL(count_bins, HistogramArgs, a) {
  __shared__ unsigned own[kSharedBins];
  bool shared = a.bins <= kSharedBins;
  if (shared) {
    for (int b = threadIdx.x; b < a.bins; b += blockDim.x) own[b] = 0;
  }
  __syncthreads();
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t bin = a.BinOf(a.x[i]);
    if (bin < 0) continue;
    if (shared) {
      atomicAdd(&own[bin], 1u);
    } else {
      atomicAdd(&a.counts[bin], 1ull);
    }
  }
  __syncthreads();
  if (!shared) return;
  for (int b = threadIdx.x; b < a.bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(&a.counts[b], (unsigned long long)(own[b]));
  }
}

}  // namespace sluice
