// The operations of scans: running sums and similar, as in the ops' files for
// the CPU. An item is the total of some consecutive elements; Join combines
// items in order.
#pragma once

#include "sluice/cuda/elementwise.cuh"
#include "sluice/cuda/reducers.cuh"

namespace sluice {

struct ScanArgs {
  const T *x, *b;  // b: LinearScan's second
  T* y;
  int64_t outer, size, inner;
  int64_t reverse, exclusive, lagged;
  int64_t parts, per_part;
  void* totals;  // parts of each slice

  int64_t slices() const { return outer * inner; }
  // The offset of element i of a slice, in scan order.
  int64_t At(int64_t slice, int64_t i) const {
    int64_t from = slice / inner, column = slice - from * inner;
    int64_t row = reverse ? size - 1 - i : i;
    return (from * size + row) * inner + column;
  }
};

// The running value is double for floats, as on the CPU.
using Before =
    std::conditional_t<std::is_same_v<Compute<T>, float>, double, Compute<T>>;

template <class Op>
struct PlainScan {
  using Item = typename Op::Item;
  static Item Load(const ScanArgs& a, int64_t at) {
    return Item(Widen(a.x[at]));
  }
  static Compute<T> Value(const ScanArgs& a, Item before, Item after, int64_t) {
    return Compute<T>(a.exclusive ? before : after);
  }
  static Item Start() { return Op::Start(); }
  static Item Join(Item a, Item b) { return Op::Join(a, b); }
};

// A reducer of one number, in the type of the running value.
template <class R>
struct Reduced {
  using Item = typename R::Acc;
  static Item Start() { return R::Start(); }
  static Item Join(Item a, Item b) { return R::Step(a, b); }
};
using CumSum = PlainScan<Reduced<reducers::SumOf<Before>>>;
using CumProd = PlainScan<Reduced<reducers::ProdOf<Before>>>;
using CumMax = PlainScan<Reduced<reducers::MaxOf<Before>>>;
using CumMin = PlainScan<Reduced<reducers::MinOf<Before>>>;

template <class C>
struct LogAddExp {
  using Item = C;
  static Item Start() { return -std::numeric_limits<Item>::infinity(); }
  static Item Join(Item a, Item x) {
    Item high = a > x ? a : x, low = a > x ? x : a;
    // Equal infinities have no difference.
    Item gap = low == high ? Item(0) : low - high;
    Item y = high + vmath::Log1p(vmath::Exp(gap));
    return high == Start() && a == a ? high : y;
  }
};
using LogCumSumExp = PlainScan<LogAddExp<Compute<T>>>;

// y = a y' + b as composed maps. Lagged: b is added before the map is applied
// to the next one.
struct LinearScan {
  struct Item {
    double a, b;
  };
  static Item Start() { return {1, 0}; }
  static Item Join(Item f, Item g) { return {g.a * f.a, g.a * f.b + g.b}; }
  static Item Load(const ScanArgs& s, int64_t at) {
    double a = double(Widen(s.x[at])), b = double(Widen(s.b[at]));
    return {a, s.lagged ? a * b : b};
  }
  static Compute<T> Value(const ScanArgs& s, Item before, Item after,
                          int64_t at) {
    if (s.lagged) return Compute<T>(before.b + double(Widen(s.b[at])));
    return Compute<T>(s.exclusive ? before.b : after.b);
  }
};

}  // namespace sluice
