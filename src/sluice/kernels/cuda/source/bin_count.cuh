// Counts how often each number occurs in an array, or sums integer weights. I,
// W: the types of numbers and of results. Integer sums do not depend on the
// order of additions.
#pragma once

#include "sluice/cuda/team.cuh"

namespace sluice {

// The range of the numbers, needed before bins are created.
struct BinRange {
  long long largest;    // -1: there are none
  long long bad_place;  // the first number out of range, or n
};

struct BinCountArgs {
  const I* x;
  const W* weights;  // null: each number counts 1
  BinRange* range;
  unsigned long long* sums;
  W* y;
  int64_t n, length, limit;
};

SL_GLOBAL(begin_range, BinCountArgs, a) {
  if (FirstThread() == 0) *a.range = {-1, (long long)(a.n)};
}

SL_GLOBAL(find_range, BinCountArgs, a) {
  BinRange found{-1, (long long)(a.n)};
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t bin = a.x[i];
    found.largest = std::max<long long>(found.largest, bin);
    if ((bin < 0 || bin >= a.limit) && i < found.bad_place) {
      found.bad_place = i;
    }
  }
  BlockTeam team(Slices{});
  found = team.All(found, [](BinRange p, BinRange q) {
    return BinRange{std::max(p.largest, q.largest),
                    std::min(p.bad_place, q.bad_place)};
  });
  if (threadIdx.x != 0) return;
  atomicMax(&a.range->largest, found.largest);
  atomicMin(&a.range->bad_place, found.bad_place);
}

SL_GLOBAL(clear_sums, BinCountArgs, a) {
  for (int64_t b = FirstThread(); b < a.length; b += AllThreads()) {
    a.sums[b] = 0;
  }
}

SL_GLOBAL(add_bins, BinCountArgs, a) {
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    auto add = (unsigned long long)(a.weights ? int64_t(a.weights[i]) : 1);
    atomicAdd(&a.sums[a.x[i]], add);
  }
}

SL_GLOBAL(write_bins, BinCountArgs, a) {
  for (int64_t b = FirstThread(); b < a.length; b += AllThreads()) {
    a.y[b] = W(a.sums[b]);
  }
}

}  // namespace sluice
