// The negative log likelihood and its gradient: x is [n, classes, ...], labels
// [n, ...]. T, I: the types of x and labels.
#pragma once

#include "sluice/cuda/checks.cuh"
#include "sluice/cuda/reduce_core.cuh"

namespace sluice {

struct NllArgs {
  ReduceShape s;
  const T* x;      // of the gradient: null
  const T* dloss;  // of the gradient
  const I* labels;
  T* out;
  int64_t* counted;
  int64_t classes, inner, ignored, elements;
  int64_t mean, none;
  Check* check;

  // Label k; the ignored label in place of an invalid one.
  int64_t Label(int64_t k) const {
    int64_t label = labels[k];
    if (label == ignored || (label >= 0 && label < classes)) return label;
    Report(check, k, label);
    return ignored;
  }
};

// The sum of losses, and the number of labels that count.
struct NllSum {
  struct Acc {
    double sum;
    int64_t count;
  };
  static Acc Start() { return {0, 0}; }
  static Acc Step(const NllArgs& a, Acc acc, int64_t k, int64_t, int64_t) {
    int64_t label = a.Label(k);
    if (label == a.ignored) return acc;
    if (!a.x) return {0, acc.count + 1};
    int64_t outer = k / a.inner, rest = k - outer * a.inner;
    int64_t at = (outer * a.classes + label) * a.inner + rest;
    return {acc.sum - double(Widen(a.x[at])), acc.count + 1};
  }
  static Acc Join(Acc a, Acc b) { return {a.sum + b.sum, a.count + b.count}; }
  static void Finish(const NllArgs& a, Acc acc, int64_t output) {
    if (!a.x) {
      *a.counted = acc.count;
      return;
    }
    double over = a.mean ? double(acc.count) : 1.0;
    a.out[output] = Narrow<T>(Compute<T>(acc.sum / over));
  }
};

#if defined(SL_WAY)
SL_REDUCE_KERNEL(NllSum, NllArgs)
#else
SL_GLOBAL(nll_grad, NllArgs, a) {
  using C = Compute<T>;
  C by = a.mean ? C(-1) / C(*a.counted) : C(-1);
  for (int64_t i = FirstThread(); i < a.elements; i += AllThreads()) {
    int64_t row = i / a.inner, rest = i - row * a.inner;
    int64_t outer = row / a.classes, label = row - outer * a.classes;
    int64_t k = outer * a.inner + rest;
    bool here = a.labels[k] == label && label != a.ignored;
    C dloss = here ? Widen(a.dloss[a.none ? k : 0]) : C(0);
    a.out[i] = here ? Narrow<T>(dloss * by) : T(0);
  }
}
#endif

}  // namespace sluice
