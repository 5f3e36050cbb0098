#include "sluice/nn/margin_loss.h"

#include <cmath>
#include <numbers>

#include "sluice/eager/constants.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/beside.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/reduced.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice {

using nn::Reduced;
using Where = std::source_location;

namespace {

// The numbers of the classes of x [batch, classes], in the type of labels.
Tensor Classes(const Tensor& x, const Tensor& labels, Where where) {
  Tensor count = x.dim(1) >= 0 ? constant(x.dim(1))
                               : cast(shape(x, {}, where)[1], DType::kI64);
  Tensor all = range(int64_t{0}, count, int64_t{1}, {}, where);
  all = nn::Beside(labels, all, where);
  return labels.dtype() == DType::kI64 ? all : cast(all, labels.dtype());
}

// Fails for labels that no class has: they would be of a class by chance, or
// of none. Those of a graph fail in its run.
void WantClasses(std::string_view loss, const Tensor& labels, const Tensor& x,
                 int64_t least, Where where) {
  int64_t classes = x.dim(1);
  if (classes < 0 || labels.num_elements() == 0) return;
  Tensor good = logical_and(labels >= least, labels < classes);
  std::string message = StrCat(
      loss, ": a label is out of range; wanted them from 0 to ", classes - 1);
  if (good.symbolic()) {
    assert_that(good, {labels}, {.message = message}, {}, where);
    return;
  }
  SL_WANT(all_of(good).item<bool>(), where, message);
}

}  // namespace

Tensor soft_margin_loss(const Tensor& x, const Tensor& target,
                        const SoftMarginOptions& options, Where where) {
  Tensor each = softplus(-target * x, {}, where);
  return Reduced("soft_margin_loss", each, options.reduction, where);
}

Tensor multilabel_soft_margin_loss(const Tensor& x, const Tensor& target,
                                   const MultilabelSoftMarginOptions& options,
                                   Where where) {
  Tensor each = -(target * log_sigmoid(x, {}, where) +
                  (1 - target) * log_sigmoid(-x, {}, where));
  if (options.weight.defined()) each = each * options.weight;
  each = mean(each, {.axes = {-1}}, {}, where);
  return Reduced("multilabel_soft_margin_loss", each, options.reduction, where);
}

Tensor multi_margin_loss(const Tensor& x, const Tensor& labels,
                         const MultiMarginOptions& options, Where where) {
  const char* name = "multi_margin_loss";
  SL_WANT(options.p == 1 || options.p == 2, where, name, ": p is ", options.p,
          "; wanted 1 or 2");
  SL_WANT(!std::isnan(options.margin), where, name,
          ": margin is nan; wanted a number");
  if (x.rank() == 1) {
    Tensor y =
        multi_margin_loss(expand_dims(x, 0, {}, where),
                          nn::Reshaped(labels, {1}, where), options, where);
    bool alone = options.reduction == "none" && labels.rank() == 0;
    return alone ? nn::Reshaped(y, {}, where) : y;
  }
  SL_WANT(x.rank() == 2 && labels.rank() == 1, where, name, ": x is ",
          TypeText(x.dtype(), x.shape()), ", the labels ",
          TypeText(labels.dtype(), labels.shape()),
          "; wanted [batch, classes] and [batch], or [classes] and []");
  WantClasses(name, labels, x, 0, where);
  Tensor column = expand_dims(labels, 1, {}, where);
  Tensor right = take_along(x, column, {.axis = 1}, {}, where);
  Tensor over = relu(options.margin - right + x, {}, where);
  if (options.p == 2) over = square(over, {}, where);
  if (options.weight.defined()) {
    Tensor own = gather(options.weight, labels, {}, {}, where);
    over = over * expand_dims(own, 1, {}, where);
  }
  Tensor other = not_equal(column, Classes(x, labels, where), {}, where);
  Tensor each = mean(over * cast(other, x.dtype()), {.axes = {1}}, {}, where);
  return Reduced(name, each, options.reduction, where);
}

Tensor multilabel_margin_loss(const Tensor& x, const Tensor& labels,
                              const MultilabelMarginOptions& options,
                              Where where) {
  const char* name = "multilabel_margin_loss";
  if (x.rank() == 1) {
    Tensor y = multilabel_margin_loss(expand_dims(x, 0, {}, where),
                                      expand_dims(labels, 0, {}, where),
                                      options, where);
    return options.reduction == "none" ? nn::Reshaped(y, {}, where) : y;
  }
  SL_WANT(x.rank() == 2 && labels.rank() == 2, where, name, ": x is ",
          TypeText(x.dtype(), x.shape()), ", the labels ",
          TypeText(labels.dtype(), labels.shape()),
          "; wanted both [batch, classes], or [classes]");
  Tensor ends = cumsum(cast(labels < 0, DType::kI64), {.axis = 1}, {}, where);
  Tensor named = sluice::equal(ends, int64_t{0}, {}, where);
  Tensor places = sluice::where(named, labels, 0, {}, where);
  WantClasses(name, places, x, 0, where);
  // [batch, place in the row, class].
  Tensor names = expand_dims(named, 2, {}, where);
  Tensor hits = sluice::equal(expand_dims(places, 2, {}, where),
                              Classes(x, labels, where), {}, where);
  Tensor taken = any_of(logical_and(hits, names, {}, where), {.axes = {1}});
  Tensor others = cast(logical_not(taken, {}, where), x.dtype());
  Tensor right = take_along(x, places, {.axis = 1}, {}, where);
  Tensor gap = expand_dims(right, 2, {}, where) - expand_dims(x, 1, {}, where);
  Tensor over = relu(1 - gap, {}, where) * expand_dims(others, 1, {}, where) *
                cast(names, x.dtype());
  Tensor total = sum(over, {.axes = {1, 2}}, {}, where);
  Tensor each = x.dim(1) >= 0 ? total / static_cast<double>(x.dim(1))
                              : total / cast(shape(x, {}, where)[1], x.dtype(),
                                             {}, where);
  return Reduced(name, each, options.reduction, where);
}

Tensor poisson_nll_loss(const Tensor& x, const Tensor& target,
                        const PoissonNllOptions& options, Where where) {
  Tensor each = options.log_input
                    ? exp(x, {}, where) - target * x
                    : x - target * log(x + options.eps, {}, where);
  if (options.full) {
    // Stirling's formula, for counts above 1.
    Tensor large = target > 1;
    Tensor two = cast(constant(2.0f), target.dtype());
    Tensor safe =
        sluice::where(large, target, nn::Beside(target, two), {}, where);
    Tensor more = safe * log(safe, {}, where) - safe +
                  0.5 * log(2 * std::numbers::pi * safe, {}, where);
    each = each + sluice::where(large, more, zeros_like(more), {}, where);
  }
  return Reduced("poisson_nll_loss", each, options.reduction, where);
}

Tensor gaussian_nll_loss(const Tensor& x, const Tensor& target,
                         const Tensor& variance,
                         const GaussianNllOptions& options, Where where) {
  // NaN is no negative number, and shows in the loss.
  Tensor good = logical_not(any_of(variance < 0));
  std::string message = "gaussian_nll_loss(): var has a negative number";
  if (good.symbolic()) {
    assert_that(good, {}, {.message = message}, {}, where);
  } else {
    SL_WANT(good.item<bool>(), where, message);
  }
  Tensor least = maximum(variance, options.eps, {}, where);
  Tensor v = variance + stop_gradient(least - variance, {}, where);
  Tensor each = 0.5 * (log(v, {}, where) + square(x - target, {}, where) / v);
  if (options.full) each = each + 0.5 * std::log(2 * std::numbers::pi);
  return Reduced("gaussian_nll_loss", each, options.reduction, where);
}

Tensor margin_of_distances_loss(const Tensor& near, const Tensor& far,
                                const DistanceMarginOptions& options,
                                Where where) {
  Tensor each = relu(near - far + options.margin, {}, where);
  return Reduced("triplet_margin_with_distance_loss", each, options.reduction,
                 where);
}

Tensor triplet_margin_with_distance_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative,
    const TripletMarginWithDistanceOptions& options, Where where) {
  auto apart = [&](const Tensor& a, const Tensor& b) {
    return options.distance ? options.distance(a, b)
                            : pairwise_distance(a, b, {}, where);
  };
  Tensor far = apart(anchor, negative);
  if (options.swap) far = minimum(far, apart(positive, negative), {}, where);
  return margin_of_distances_loss(
      apart(anchor, positive), far,
      {.margin = options.margin, .reduction = options.reduction}, where);
}

}  // namespace sluice
