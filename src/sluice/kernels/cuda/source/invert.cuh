// The inverse of a permutation: the first position of each number, and a report
// of duplicates. I: the type of both.
#pragma once

#include "sluice/cuda/checks.cuh"
#include "sluice/cuda/elementwise.cuh"

namespace sluice {

struct InvertArgs {
  const void* x;
  void* to;
  int64_t n;
  Check* check[2];
};

// The type that atomics support.
using Place =
    std::conditional_t<sizeof(I) == 8, unsigned long long, unsigned int>;

// `to` initially holds the largest numbers.
SL_GLOBAL(first_places, InvertArgs, a) {
  const I* x = static_cast<const I*>(a.x);
  Place* to = static_cast<Place*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t at = x[i];
    if (at >= 0 && at < a.n) atomicMin(&to[at], Place(i));
  }
}

SL_GLOBAL(check_once, InvertArgs, a) {
  const I* x = static_cast<const I*>(a.x);
  const I* to = static_cast<const I*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t at = x[i];
    if (at < 0 || at >= a.n || int64_t(to[at]) == i) continue;
    if (!BeginReport(a.check[0], i)) continue;
    volatile Check *first = a.check[0], *second = a.check[1];
    first->b = at;
    second->b = to[at];
    second->found = 1;
    EndReport(a.check[0]);
  }
}

}  // namespace sluice
