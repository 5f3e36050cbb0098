#include "sluice/nn/loss.h"

#include "sluice/eager/operators.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/reduced.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice {

using Where = std::source_location;
using nn::Reduced;

namespace {

// One number per class, to be multiplied with [batch, classes, ...].
Tensor AlongClasses(const Tensor& weight, int rank, Where where) {
  std::vector<int64_t> shape(static_cast<size_t>(rank) - 1, 1);
  shape[0] = -1;
  return reshape(weight, nn::Ints(shape), {}, where);
}

Tensor OverClasses(const Tensor& x, Where where) {
  return sum(x, {.axes = {1}}, {}, where);
}

// What the share that goes to all classes evenly costs.
Tensor Smoothing(const Tensor& weighted_logs, double share, Where where) {
  return mean(weighted_logs, {.axes = {1}}, {}, where) * share;
}

Tensor OfProbabilities(const Tensor& logits, const Tensor& target,
                       const CrossEntropyOptions& options, Where where) {
  double smooth = options.label_smoothing;
  if (logits.rank() == 2 && !options.weight.defined() && smooth == 0) {
    Tensor each =
        softmax_cross_entropy_with_logits(logits, target, {}, where).loss;
    return Reduced("cross_entropy", each, options.reduction, where);
  }
  Tensor logs = log_softmax(logits, {.axis = 1}, {}, where);
  if (options.weight.defined()) {
    logs = logs * AlongClasses(options.weight, logits.rank(), where);
  }
  Tensor each = OverClasses(logs * target, where);
  if (smooth > 0) each = each * (1 - smooth) + Smoothing(logs, smooth, where);
  // With PyTorch the mean is over labels, not over their weights.
  return Reduced("cross_entropy", -each, options.reduction, where);
}

// One sample without a batch: logits [classes], and one label.
template <class F>
Tensor Alone(const Tensor& x, const Tensor& target,
             const std::string& reduction, Where where, const F& loss) {
  Tensor y =
      loss(expand_dims(x, 0, {}, where), expand_dims(target, 0, {}, where));
  return reduction == "none" ? squeeze(y, {.axes = {0}}, {}, where) : y;
}

// Everything a label may come with.
Tensor OfClasses(const Tensor& logits, const Tensor& labels,
                 const CrossEntropyOptions& options, Where where) {
  Tensor logs = log_softmax(logits, {.axis = 1}, {}, where);
  double smooth = options.label_smoothing;
  if (smooth == 0 && !options.weight.defined()) {
    return nll_loss(
        logs, labels,
        {.ignore_index = options.ignore_index, .reduction = options.reduction},
        {}, where);
  }
  DType dtype = logits.dtype();
  Tensor counts = not_equal(labels, options.ignore_index, {}, where);
  Tensor share = cast(counts, dtype, {}, where);  // of each label in the mean
  Tensor each = nll_loss(
      logs, labels, {.ignore_index = options.ignore_index, .reduction = "none"},
      {}, where);
  if (options.weight.defined()) {
    Tensor safe = sluice::where(counts, labels, 0, {}, where);
    share = share * gather(options.weight, safe, {}, {}, where);
    each = each * share;
  }
  if (smooth > 0) {
    Tensor all = logs;
    if (options.weight.defined()) {
      all = all * AlongClasses(options.weight, logits.rank(), where);
    }
    all = sluice::where(counts, Smoothing(all, smooth, where), 0, {}, where);
    each = each * (1 - smooth) - all;
  }
  if (options.reduction != "mean") {
    return Reduced("cross_entropy", each, options.reduction, where);
  }
  return sum(each, {}, {}, where) / sum(share, {}, {}, where);
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& labels,
                     const CrossEntropyOptions& options, Where where) {
  if (logits.rank() == 1) {
    return Alone(logits, labels, options.reduction, where,
                 [&](const Tensor& x, const Tensor& target) {
                   return cross_entropy(x, target, options, where);
                 });
  }
  double smooth = options.label_smoothing;
  SL_WANT(smooth >= 0 && smooth <= 1, where,
          "cross_entropy: label_smoothing is ", smooth,
          "; wanted 0 <= label_smoothing <= 1");
  SL_WANT(logits.rank() >= 2, where, "cross_entropy: logits are ",
          TypeText(logits.dtype(), logits.shape()),
          "; wanted [batch, classes, ...]");
  SL_WANT(options.reduction == "none" || options.reduction == "sum" ||
              options.reduction == "mean",
          where, "cross_entropy: reduction is \"", options.reduction,
          "\"; wanted none, mean or sum");
  if (kFloats.contains(labels.dtype())) {
    return OfProbabilities(logits, labels, options, where);
  }
  if (logits.rank() != 2 || smooth > 0 || options.weight.defined()) {
    return OfClasses(logits, labels, options, where);
  }
  Tensor each =
      sparse_softmax_cross_entropy(
          logits, labels, {.ignore_index = options.ignore_index}, {}, where)
          .loss;
  if (options.reduction != "mean") {
    return Reduced("cross_entropy", each, options.reduction, where);
  }
  // Divided by the share of labels that count: 1 unless some are left out.
  Tensor counts = not_equal(labels, options.ignore_index, {}, where);
  Tensor share = mean(cast(counts, DType::kF32, {}, where), {}, {}, where);
  if (logits.dtype() != DType::kF32) share = cast(share, logits.dtype());
  return div(mean(each, {}, {}, where), share, {}, where);
}

Tensor weighted_nll_loss(const Tensor& logs, const Tensor& labels,
                         const WeightedNllOptions& options, Where where) {
  if (logs.rank() == 1) {
    return Alone(logs, labels, options.reduction, where,
                 [&](const Tensor& x, const Tensor& target) {
                   return weighted_nll_loss(x, target, options, where);
                 });
  }
  const int64_t ignored = options.ignore_index;
  if (!options.weight.defined()) {
    return nll_loss(logs, labels,
                    {.ignore_index = ignored, .reduction = options.reduction},
                    {}, where);
  }
  Tensor counts = not_equal(labels, ignored, {}, where);
  Tensor safe = sluice::where(counts, labels, 0, {}, where);
  Tensor share = gather(options.weight, safe, {}, {}, where) *
                 cast(counts, logs.dtype(), {}, where);
  Tensor each =
      nll_loss(logs, labels, {.ignore_index = ignored, .reduction = "none"}, {},
               where) *
      share;
  if (options.reduction != "mean") {
    return Reduced("nll_loss", each, options.reduction, where);
  }
  return sum(each, {}, {}, where) / sum(share, {}, {}, where);
}

Tensor binary_cross_entropy(const Tensor& x, const Tensor& target,
                            const BinaryCrossEntropyOptions& options,
                            Where where) {
  if (!options.weight.defined()) {
    return bce_loss(x, target, {.reduction = options.reduction}, {}, where);
  }
  Tensor each = bce_loss(x, target, {.reduction = "none"}, {}, where);
  return Reduced("binary_cross_entropy", each * options.weight,
                 options.reduction, where);
}

Tensor binary_cross_entropy_with_logits(
    const Tensor& x, const Tensor& target,
    const BinaryCrossEntropyWithLogitsOptions& options, Where where) {
  if (!options.weight.defined() && !options.pos_weight.defined()) {
    return bce_with_logits_loss(x, target, {.reduction = options.reduction}, {},
                                where);
  }
  Tensor each;
  if (options.pos_weight.defined()) {
    // (1 - t) x + (1 + (p - 1) t) log(1 + exp(-x))
    Tensor more = (options.pos_weight - 1) * target + 1;
    each = (1 - target) * x + more * softplus(-x, {}, where);
  } else {
    each = bce_with_logits_loss(x, target, {.reduction = "none"}, {}, where);
  }
  if (options.weight.defined()) each = each * options.weight;
  return Reduced("binary_cross_entropy_with_logits", each, options.reduction,
                 where);
}

Tensor kl_div(const Tensor& x, const Tensor& target,
              const KlDivOptions& options, Where where) {
  if (!options.log_target) {
    return kl_div_loss(x, target, {.reduction = options.reduction}, {}, where);
  }
  Tensor each = exp(target, {}, where) * (target - x);
  if (options.reduction == "batchmean") {
    Tensor rows = cast(shape(x, {}, where)[0], x.dtype(), {}, where);
    return sum(each, {}, {}, where) / rows;
  }
  return Reduced("kl_div", each, options.reduction, where);
}

Tensor margin_ranking_loss(const Tensor& x1, const Tensor& x2,
                           const Tensor& target, const MarginOptions& options,
                           Where where) {
  Tensor each = relu(options.margin - target * (x1 - x2), {}, where);
  return Reduced("margin_ranking_loss", each, options.reduction, where);
}

Tensor cosine_embedding_loss(const Tensor& x1, const Tensor& x2,
                             const Tensor& target, const MarginOptions& options,
                             Where where) {
  Tensor angle = cosine_similarity(x1, x2, {}, {}, where);
  Tensor apart = relu(angle - options.margin, {}, where);
  // Targets that are neither 1 nor -1 cost nothing.
  Tensor each =
      sluice::where(equal(target, 1, {}, where), 1 - angle, 0, {}, where) +
      sluice::where(equal(target, -1, {}, where), apart, 0, {}, where);
  return Reduced("cosine_embedding_loss", each, options.reduction, where);
}

Tensor hinge_embedding_loss(const Tensor& x, const Tensor& target,
                            const MarginOptions& options, Where where) {
  Tensor apart = relu(options.margin - x, {}, where);
  // Targets that are neither 1 nor -1 cost both.
  Tensor each =
      sluice::where(not_equal(target, 1, {}, where), apart, 0, {}, where) +
      sluice::where(not_equal(target, -1, {}, where), x, 0, {}, where);
  return Reduced("hinge_embedding_loss", each, options.reduction, where);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                           const Tensor& negative,
                           const TripletMarginOptions& options, Where where) {
  auto apart = [&](const Tensor& a, const Tensor& b) {
    return pairwise_distance(a, b, {.p = options.p, .eps = options.eps}, where);
  };
  Tensor near = apart(anchor, positive), far = apart(anchor, negative);
  if (options.swap) {
    far = minimum(far, apart(positive, negative), {}, where);
  }
  Tensor each = relu(near - far + options.margin, {}, where);
  return Reduced("triplet_margin_loss", each, options.reduction, where);
}

}  // namespace sluice
