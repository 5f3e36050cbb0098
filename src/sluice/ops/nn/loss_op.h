// Shared by the records of elementwise losses.
#pragma once

#include <cmath>
#include <limits>
#include <string_view>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/loss.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/decompose_context.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"
#include "sluice/ops/nn/sample_lists.h"

namespace sluice {

inline constexpr std::string_view kReductionDoc =
    "none: one number per element; mean or sum: one for all.";

// A reference from the loss of one element.
inline RefFn LossReference(double (*f)(double x, double t, const Attrs&)) {
  return [f](const std::vector<RefArray>& in, const Attrs& attrs) {
    RefArray each{in[0].shape, {}};
    double sum = 0;
    for (size_t i = 0; i < in[0].v.size(); ++i) {
      each.v.push_back(f(in[0].v[i], in[1].v[i], attrs));
      sum += each.v.back();
    }
    const std::string& reduction = attrs.get<std::string>("reduction");
    if (reduction == "none") return std::vector<RefArray>{each};
    if (reduction == "mean") sum /= static_cast<double>(each.v.size());
    if (reduction == "batchmean") {
      sum /= static_cast<double>(in[0].shape.dim(0));
    }
    return std::vector<RefArray>{{Shape(), {sum}}};
  };
}

// The gradient of every element's loss: one number for all of them, or one each
// without a reduction.
inline GradVar DyOfEach(GradContext& g) {
  const std::string& reduction = g.attr<std::string>("reduction");
  if (reduction == "none" || reduction == "sum") return g.dy();
  GradVar x = g.in(0);
  bool all = reduction == "mean";
  PartialShape known = x.shape();
  if (all ? known.fully_known() : known.rank_known() && known[0] >= 0) {
    int64_t count = all ? known.ToShape().num_elements() : known[0];
    return g.dy() * (1 / static_cast<double>(count));
  }
  GradVar count = all ? g.call("Size", {x})
                      : g.call("Slice", {g.call("Shape", {x})},
                               {{"begin", Ints{0}}, {"size", Ints{1}}});
  // Counts beyond 65504 do not fit in half precision, but their inverses do.
  GradVar share = 1.0 / g.cast(count, DType::kF64);
  return g.dy() * g.cast(share, x.dtype());
}

// The gradients of a loss of x - target, from its slope dx by x.
inline void SetOpposite(GradContext& g, GradVar dx) {
  g.set_dx(0, dx);
  if (g.wants(1)) g.set_dx(1, -dx);
}

// The batching rule: a sum or mean is over one example's elements, not over
// lanes.
inline bool BatchEach(BatchContext& b) {
  int rank = b.common_rank();
  if (rank < 0) return false;
  const std::string& reduction = b.attr<std::string>("reduction");
  bool none = reduction == "none", mean = reduction == "mean";
  if (!none && !mean && reduction != "sum") return false;
  Attrs each = b.attrs();
  each.set("reduction", "none");
  RuleVar loss = b.again(b.all_full(), each)[0];
  if (!none && rank > 0) {
    batch_rules::Ints axes;
    for (int i = 1; i <= rank; ++i) axes.push_back(i);
    loss = b.call(mean ? "Mean" : "Sum", {loss}, {{"axes", axes}});
  }
  b.set(0, loss);
  return true;
}

// The loss of each element, reduced according to the op's attribute.
inline void SetReduced(DecomposeContext& d, RuleVar each) {
  const std::string& reduction = d.attr<std::string>("reduction");
  if (reduction == "none") return d.set(each);
  d.set(d.call(reduction == "mean" ? "Mean" : "Sum", {each}));
}

// Every reduction, one element, none, and enough for blocks and chunks; `more`
// is one more attribute to vary. The range of many elements is narrowed by the
// factor `calm`, for losses with kinks: among thousands of elements some are so
// close to a kink that it affects finite differences.
inline std::vector<Sample> LossSamples(double lo, double hi,
                                       const Attrs& more = {},
                                       double calm = 1) {
  std::vector<Sample> out;
  auto add = [&](const Shape& shape, const char* reduction, DTypeSet only) {
    double range = shape.num_elements() > 1000 ? calm : 1;
    out.push_back({.in = {shape, shape},
                   .attrs = {{"reduction", reduction}},
                   .lo = lo * range,
                   .hi = hi * range,
                   .only = only});
  };
  for (const char* reduction : {"mean", "sum", "none"}) {
    add({3, 5}, reduction, {});
    add({}, reduction, {});
  }
  add({67}, "none", {});
  add({0, 2}, "none", {});
  add({0, 2}, "sum", {});
  add({0, 2}, "mean", {});
  add({5, 4001}, "mean", {DType::kF32});
  add({5, 4001}, "none", {DType::kF32});
  add({1100000}, "mean", {DType::kF32});
  for (const auto& [name, value] : more) {
    add({3, 5}, "mean", {});
    out.back().attrs.set(name, value);
  }
  return out;
}

// One sample with another value of an attribute.
inline std::vector<Sample> WithNumber(std::string_view name, double value) {
  Attrs attrs;
  attrs.set(name, value);
  return {{.in = {{7}, {7}}, .attrs = attrs}};
}

inline std::vector<Reject> LossRejects(std::string_view op) {
  return {{.in = {{2}, {3}},
           .attrs = {},
           .message = StrCat("[", op, "] shapes differ: x is f32[2], target ",
                             "is f32[3]; wanted equal shapes")},
          {.in = {{2}, {2}},
           .attrs = {{"reduction", "max"}},
           .message = StrCat("[", op, "] attribute reduction is \"max\"; ",
                             "wanted one of ")},
          {.in = {{2}},
           .attrs = {},
           .message = StrCat("[", op, "] takes 2 inputs, got 1")},
          {.in = {{2}, Array::Zeros(DType::kF64, {2})},
           .attrs = {},
           .message = StrCat("[", op, "] target is f64; wanted f32 as x")}};
}

// The record of a loss of every element of x and target.
inline OpDefinition& ElementLoss(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .input("target: T")
      .output("loss: T")
      .types("T", kFloats)
      .attr("reduction", "mean", kReductionDoc)
      .one_of({"none", "mean", "sum"})
      .shape(loss_shape)
      .rejects(LossRejects(name));
}

}  // namespace sluice
