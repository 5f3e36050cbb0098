// Gradients of the scatter ops, which all have the form op(x, indices,
// updates): by tuples (TensorScatter*), by slices along an axis (Index*) and by
// elements along an axis (PutAlong). Each family has an op that takes the
// elements another puts.
#pragma once

#include <string_view>

#include "sluice/ops/array/array_grad.h"
#include "sluice/ops/complex_grad.h"

namespace sluice::scatter_grad {

struct Call {
  std::string_view op;
  Attrs attrs;
};

// The ops by which a family takes, sets, adds to and multiplies elements.
struct Family {
  Call take, set, add, mul;
};

inline Family Tuples() {
  return {{"GatherNd", {}},
          {"TensorScatterUpdate", {}},
          {"TensorScatterAdd", {}},
          {"TensorScatterMul", {}}};
}
inline Family Rows(const GradContext& g) {
  Attrs axis{{"axis", g.attr<int64_t>("axis")}};
  return {{"Gather", axis}, {"IndexCopy", axis}, {"IndexAdd", axis}, {}};
}
inline Family Along(const GradContext& g) {
  int64_t axis = g.attr<int64_t>("axis");
  auto put = [&](const char* mode) {
    return Call{"PutAlong", {{"axis", axis}, {"mode", mode}}};
  };
  return {
      {"TakeAlong", {{"axis", axis}}}, put("update"), put("add"), put("mul")};
}

inline GradVar Take(GradContext& g, const Family& f, GradVar from) {
  return g.call(f.take.op, {from, g.in(1)}, f.take.attrs);
}
inline GradVar Put(GradContext& g, const Call& how, GradVar to, GradVar what) {
  return g.call(how.op, {to, g.in(1), what}, how.attrs);
}
// The number of true elements of `which`, a mask like updates, for each
// position of x. Half-precision types cannot count far.
inline GradVar CountAt(GradContext& g, const Family& f, GradVar which) {
  DType wide = g.in(0).dtype() == DType::kF64 ? DType::kF64 : DType::kF32;
  return Put(g, f.add, FilledAs(g, g.in(0), 0, wide), g.cast(which, wide));
}

inline void AddRule(GradContext& g, const Family& f) {
  g.set_dx(0, g.dy());
  if (g.wants(2)) g.set_dx(2, Take(g, f, g.dy()));
}
inline void SubRule(GradContext& g, const Family& f) {
  g.set_dx(0, g.dy());
  if (g.wants(2)) g.set_dx(2, -Take(g, f, g.dy()));
}

// If several updates have one position, the last one stays and gets the
// gradient: the one that finds its own number there when numbers are put.
inline void SetRule(GradContext& g, const Family& f) {
  if (g.wants(0)) g.set_dx(0, Put(g, f.set, g.dy(), ZerosAs(g, g.in(2))));
  if (!g.wants(2)) return;
  GradVar numbers = Counted(g, g.in(2));
  GradVar none = FilledAs(g, g.in(0), -1, DType::kI64);
  GradVar there = Take(g, f, Put(g, f.set, none, numbers));
  GradVar stays = g.call("Equal", {there, numbers});
  GradVar dy = Take(g, f, g.dy());
  g.set_dx(2, g.call("Select", {stays, dy, g.scalar(0, dy.dtype())}));
}

// An update's factor is the product of all others at its position: y divided by
// the update or, if that is the only 0 there, the product without it. (With two
// zeros at one position it is 0; only its derivative by the other zero is lost
// then.)
inline void MulRule(GradContext& g, const Family& f) {
  GradVar dy = g.dy(), x = g.in(0), updates = g.in(2);
  if (g.wants(0)) {
    GradVar ones = FilledAs(g, x, 1, x.dtype());
    g.set_dx(0, dy * Conjugate(g, Put(g, f.mul, ones, updates)));
  }
  if (!g.wants(2)) return;
  GradVar zero = g.scalar(0, dy.dtype()), one = g.scalar(1, dy.dtype());
  GradVar zeros = g.call("Equal", {updates, zero});
  GradVar rest = g.call("Select", {zeros, one, updates});
  GradVar count = CountAt(g, f, zeros);
  GradVar alone = g.call("Equal", {count, g.scalar(1, count.dtype())});
  GradVar others = g.call("Select", {alone, Put(g, f.mul, x, rest), zero});
  GradVar made = Take(g, f, dy * Conjugate(g, g.out()));
  g.set_dx(2, g.call("Select", {zeros, Take(g, f, dy * Conjugate(g, others)),
                                made / Conjugate(g, rest)}));
}

// An update that equals the result at its position has won; several share the
// gradient.
inline void ExtremeRule(GradContext& g, const Family& f) {
  GradVar x = g.in(0), y = g.out(), dy = g.dy();
  GradVar zero = g.scalar(0, dy.dtype());
  GradVar kept = g.call("Equal", {x, y});
  GradVar won = g.call("Equal", {g.in(2), Take(g, f, y)});
  GradVar count = CountAt(g, f, won);
  count = count + g.cast(kept, count.dtype());
  // NaN equals nothing: then no update has won.
  count = g.call("Maximum", {count, g.scalar(1, count.dtype())});
  GradVar share = dy / g.cast(count, dy.dtype());
  g.set_dx(0, g.call("Select", {kept, share, zero}));
  if (!g.wants(2)) return;
  g.set_dx(2, g.call("Select", {won, Take(g, f, share), zero}));
}

}  // namespace sluice::scatter_grad
