// Scans along an axis. T: the elements' type; SL_SCAN: a name in scan_ops.cuh.
// Adjacent slices use one thread each; long ones use a warp or a block. If
// there are few very long ones, they are cut into parts, whose totals are
// computed first.
#pragma once

#include "sluice/cuda/scan_ops.cuh"
#include "sluice/cuda/team.cuh"

namespace sluice {

constexpr int kScanEach = 4;  // elements per thread at a time

// The combined items of the lanes before this one; and of all lanes.
template <class S, class Item = typename S::Item>
inline PairOf<Item> WarpBefore(Item mine) {
  int lane = threadIdx.x % kWarp;
  for (int by = 1; by < kWarp; by *= 2) {
    Item other = ShuffleUp(mine, by);
    if (lane >= by) mine = S::Join(other, mine);
  }
  Item before = ShuffleUp(mine, 1);
  return {lane == 0 ? S::Start() : before, ShuffleFrom(mine, kWarp - 1)};
}
// The same for the threads of a block.
template <class S, class Item = typename S::Item>
inline PairOf<Item> BlockBefore(Item mine) {
  __shared__ SharedRoom<Item> room;
  Item* totals = room.at();
  PairOf<Item> warp = WarpBefore<S>(mine);
  int which = threadIdx.x / kWarp;
  __syncthreads();
  if (threadIdx.x % kWarp == 0) totals[which] = warp.b;
  __syncthreads();
  Item before = S::Start(), all = S::Start();
  for (int w = 0; w < int(blockDim.x) / kWarp; ++w) {
    if (w == which) before = all;
    all = S::Join(all, totals[w]);
  }
  return {S::Join(before, warp.a), all};
}

// Scans elements [begin, end) of a slice with `threads` threads, of which this
// is `thread`. kWrite: writes the results. Returns the total up to `end`, with
// `carry` before it.
template <class S, bool kBlock, bool kWrite>
inline typename S::Item ScanRange(const ScanArgs& a, int64_t slice,
                                  int64_t begin, int64_t end, int thread,
                                  int threads, typename S::Item carry) {
  using Item = typename S::Item;
  for (; begin < end; begin += threads * kScanEach) {
    Item item[kScanEach], mine = S::Start();
    int64_t first = begin + thread * kScanEach;
#pragma unroll
    for (int k = 0; k < kScanEach; ++k) {
      item[k] =
          first + k < end ? S::Load(a, a.At(slice, first + k)) : S::Start();
      mine = S::Join(mine, item[k]);
    }
    PairOf<Item> joined;
    if constexpr (kBlock) {
      joined = BlockBefore<S>(mine);
    } else {
      joined = WarpBefore<S>(mine);
    }
    if constexpr (kWrite) {
      Item before = S::Join(carry, joined.a);
#pragma unroll
      for (int k = 0; k < kScanEach; ++k) {
        if (first + k >= end) break;
        Item after = S::Join(before, item[k]);
        int64_t at = a.At(slice, first + k);
        a.y[at] = Narrow<T>(S::Value(a, before, after, at));
        before = after;
      }
    }
    carry = S::Join(carry, joined.b);
  }
  return carry;
}

// One thread per slice.
template <class S>
inline void ScanThreads(const ScanArgs& a) {
  for (int64_t t = FirstThread(); t < a.slices(); t += AllThreads()) {
    auto before = S::Start();
    for (int64_t i = 0; i < a.size; ++i) {
      int64_t at = a.At(t, i);
      auto after = S::Join(before, S::Load(a, at));
      a.y[at] = Narrow<T>(S::Value(a, before, after, at));
      before = after;
    }
  }
}

template <class S>
inline void ScanWarps(const ScanArgs& a) {
  int lane = threadIdx.x % kWarp;
  for (int64_t t = FirstThread() / kWarp; t < a.slices();
       t += AllThreads() / kWarp) {
    ScanRange<S, false, true>(a, t, 0, a.size, lane, kWarp, S::Start());
  }
}

// The total of each part.
template <class S>
inline void ScanTotals(const ScanArgs& a) {
  auto* totals = static_cast<typename S::Item*>(a.totals);
  for (int64_t t = blockIdx.x; t < a.slices() * a.parts; t += gridDim.x) {
    int64_t slice = t / a.parts, begin = (t - slice * a.parts) * a.per_part;
    auto all = ScanRange<S, true, false>(a, slice, begin,
                                         std::min(begin + a.per_part, a.size),
                                         threadIdx.x, blockDim.x, S::Start());
    if (threadIdx.x == 0) totals[t] = all;
  }
}

// Each part, after the totals of the parts before it.
template <class S>
inline void ScanBlocks(const ScanArgs& a) {
  const auto* totals = static_cast<const typename S::Item*>(a.totals);
  for (int64_t t = blockIdx.x; t < a.slices() * a.parts; t += gridDim.x) {
    int64_t slice = t / a.parts, part = t - slice * a.parts;
    auto mine = S::Start();
    for (int64_t p = threadIdx.x * kScanEach;
         p < (threadIdx.x + 1) * kScanEach && p < part; ++p) {
      mine = S::Join(mine, totals[slice * a.parts + p]);
    }
    auto carry = a.parts > 1 ? BlockBefore<S>(mine).b : S::Start();
    int64_t begin = part * a.per_part;
    ScanRange<S, true, true>(a, slice, begin,
                             std::min(begin + a.per_part, a.size), threadIdx.x,
                             blockDim.x, carry);
  }
}

SL_GLOBAL(scan, ScanArgs, a) { SL_WAY<SL_SCAN>(a); }

}  // namespace sluice
