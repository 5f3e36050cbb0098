#include "sluice/nn/batch_norm.h"

#include "sluice/eager/constants.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/beside.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/init.h"
#include "sluice/nn/normalized.h"
#include "sluice/ops.h"

namespace sluice::nn {

namespace {

// Halves have statistics of floats.
DType StatsType(DType dtype) {
  return dtype == DType::kF64 ? DType::kF64 : DType::kF32;
}

}  // namespace

BatchNorm::BatchNorm(std::string_view type, int min_rank, int max_rank,
                     int64_t num_features, const BatchNormOptions& options,
                     Where where)
    : min_rank_(min_rank),
      max_rank_(max_rank),
      num_features_(num_features),
      options_(options) {
  SL_WANT(num_features > 0, where, type, ": num_features is ", num_features,
          "; wanted it positive");
  SL_WANT(options.eps >= 0, where, type, ": eps is ", options.eps,
          "; wanted eps >= 0");
  double momentum = options.momentum.value_or(0);
  SL_WANT(momentum >= 0 && momentum <= 1, where, type, ": momentum is ",
          momentum, "; wanted 0 <= momentum <= 1");
  scale_ = ones({num_features}, options.dtype);
  offset_ = zeros({num_features}, options.dtype);
  if (options.affine) {
    weight = add_parameter("weight", scale_);
    bias = add_parameter("bias", offset_);
  }
  if (options.track_running_stats) {
    DType stats = StatsType(options.dtype);
    running_mean = add_buffer("running_mean", zeros({num_features}, stats));
    running_var = add_buffer("running_var", ones({num_features}, stats));
    num_batches_tracked =
        add_buffer("num_batches_tracked", zeros(Shape(), DType::kI64));
  }
}

void BatchNorm::reset_running_stats() {
  if (!running_mean.defined()) return;
  init::zeros_(running_mean);
  init::ones_(running_var);
  num_batches_tracked.zero_();
}

Tensor BatchNorm::forward(Tensor x) {
  int rank = x.rank();
  bool fits = rank < 0 || (rank >= min_rank_ && rank <= max_rank_ &&
                           (x.dim(1) < 0 || x.dim(1) == num_features_));
  SL_WANT(fits, line(), type_name(), ": x is ", TypeText(x.dtype(), x.shape()),
          "; wanted ", min_rank_ == max_rank_ ? "" : StrCat(min_rank_, " or "),
          max_rank_, " axes, of which axis 1 has ", num_features_);
  return BatchNormalized(
      {type_name(), "x", line()}, x,
      {.weight = weight.defined() ? weight : Beside(x, scale_),
       .bias = bias.defined() ? bias : Beside(x, offset_),
       .running = {running_mean, running_var, num_batches_tracked},
       .training = training(),
       .momentum = options_.momentum,
       .eps = options_.eps});
}

void TrackBatch(const RunningStats& running, std::optional<double> momentum,
                const Tensor& x, const Tensor& mean, const Tensor& variance,
                std::source_location where) {
  NoGrad off;
  if (running.num_batches_tracked.defined())
    running.num_batches_tracked.add_(1, where);
  DType dtype = running.mean.dtype();
  Operand share = momentum.value_or(0);
  if (!momentum) share = reciprocal(cast(running.num_batches_tracked, dtype));
  auto typed = [&](const Tensor& t) {
    return t.dtype() == dtype ? t : cast(t, dtype, {}, where);
  };
  // The batch's variance times count / (count - 1).
  int64_t channels = running.mean.dim(0);
  Tensor unbiased = typed(variance);
  if (int64_t elements = x.num_elements(); elements >= 0) {
    if (elements == 0) return;
    double count = static_cast<double>(elements / channels);
    unbiased = unbiased * (count / (count - 1));
  } else {
    Tensor count = cast(size(x), dtype) / static_cast<double>(channels);
    unbiased = unbiased * (count / (count - 1));
    share = cast(count > 0, dtype) * share;
  }
  running.mean.copy_(lerp(running.mean, typed(mean), share), where);
  running.var.copy_(lerp(running.var, unbiased, share), where);
}

void TrackInstances(const RunningStats& running, double momentum,
                    const Tensor& x, std::source_location where) {
  NoGrad off;
  DType dtype = running.mean.dtype();
  Tensor typed = x.dtype() == dtype ? x : cast(x, dtype, {}, where);
  std::vector<int64_t> spatial;
  for (int axis = 2; axis < x.rank(); ++axis) spatial.push_back(axis);
  auto over_batch = [](const Tensor& t) { return mean(t, {.axes = {0}}); };
  Tensor means = over_batch(mean(typed, {.axes = spatial}));
  Tensor variances = over_batch(var(typed, {.axes = spatial}));
  running.mean.copy_(lerp(running.mean, means, momentum), where);
  running.var.copy_(lerp(running.var, variances, momentum), where);
}

std::string BatchNorm::extra_repr() const {
  std::string text = StrCat(num_features_);
  if (options_.eps != 1e-5) StrAppend(text, ", eps=", options_.eps);
  if (!options_.momentum) {
    text += ", momentum=none";
  } else if (*options_.momentum != 0.1) {
    StrAppend(text, ", momentum=", *options_.momentum);
  }
  if (!options_.affine) text += ", affine=false";
  if (!options_.track_running_stats) text += ", track_running_stats=false";
  return text;
}

}  // namespace sluice::nn
