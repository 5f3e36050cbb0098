#include "sluice/optim/grad_scaler.h"

#include <cmath>
#include <map>
#include <string>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/operators.h"
#include "sluice/ops.h"

namespace sluice::optim {

namespace {

[[noreturn]] void Refuse(const std::string& why, std::source_location where) {
  throw Error(
      FailedPrecondition(why).WithLine(StrCat("at ", SourceLine::From(where))));
}

// Whether one of them is infinite or not a number. Waits once for each device.
bool AnyNotFinite(const std::vector<Tensor>& gradients,
                  std::source_location where) {
  std::map<std::string, Tensor> sums;
  for (const Tensor& grad : gradients) {
    Tensor wide = cast(grad, DType::kF32, {}, where);
    // Not a number once one of them is, or is infinite.
    Tensor part = sum(mul(wide, 0.0, {}, where), {}, {}, where);
    Tensor& all = sums[grad.device()];
    all = all.defined() ? add(all, part, {}, where) : part;
  }
  bool bad = false;
  for (const auto& [device, all] : sums) {
    bad = bad || std::isnan(all.item<float>());
  }
  return bad;
}

}  // namespace

GradScaler::GradScaler(const GradScalerOptions& options)
    : options_(options), scale_(options.init_scale) {
  if (!(options.growth_factor > 1)) {
    throw Error(
        InvalidArgument(StrCat("GradScaler: growth_factor is ",
                               options.growth_factor, "; wanted more than 1")));
  }
  if (!(options.backoff_factor > 0 && options.backoff_factor < 1)) {
    throw Error(
        InvalidArgument(StrCat("GradScaler: backoff_factor is ",
                               options.backoff_factor, "; wanted 0 to 1")));
  }
}

double GradScaler::get_scale() const { return options_.enabled ? scale_ : 1; }

Tensor GradScaler::scale(const Tensor& loss, Where where) const {
  if (!options_.enabled) return loss;
  bool half = loss.dtype() == DType::kF16 || loss.dtype() == DType::kBF16;
  // The scale itself may be beyond a half's range.
  Tensor wide = half ? cast(loss, DType::kF32, {}, where) : loss;
  return mul(wide, scale_, {}, where);
}

void GradScaler::unscale_(Optimizer& optimizer, Where where) {
  std::vector<Tensor> gradients;
  for (size_t group = 0; group < optimizer.num_groups(); ++group) {
    for (const Variable& parameter : optimizer.parameters(group)) {
      Tensor grad = parameter.tensor().grad();
      if (grad.defined()) gradients.push_back(std::move(grad));
    }
  }
  unscale_(&optimizer, gradients, where);
}

void GradScaler::unscale_(const void* optimizer,
                          const std::vector<Tensor>& gradients, Where where) {
  if (!options_.enabled) return;
  if (unscaled(optimizer)) {
    Refuse(
        "GradScaler: unscale_() twice for one optimizer since update(); wanted "
        "once",
        where);
  }
  NoGrad off;
  for (const Tensor& grad : gradients) grad.mul_(1 / scale_, where);
  seen_[optimizer] = {.overflowed = AnyNotFinite(gradients, where)};
}

bool GradScaler::may_step(const void* optimizer, Where where) {
  if (!options_.enabled) return true;
  Seen& seen = seen_.at(optimizer);
  if (seen.stepped) {
    Refuse(
        "GradScaler: step() twice for one optimizer; wanted update() between "
        "them",
        where);
  }
  seen.stepped = true;
  return !seen.overflowed;
}

bool GradScaler::step(Optimizer& optimizer, Where where) {
  if (!unscaled(&optimizer)) unscale_(optimizer, where);
  bool good = may_step(&optimizer, where);
  if (good) optimizer.step(where);
  return good;
}

void GradScaler::update(std::optional<double> new_scale, Where where) {
  if (!options_.enabled) return;
  bool bad = false;
  for (const auto& [optimizer, seen] : seen_) bad = bad || seen.overflowed;
  if (new_scale) {
    scale_ = *new_scale;
  } else if (seen_.empty()) {
    Refuse("GradScaler: update() without a step before it; wanted step()",
           where);
  } else if (bad) {
    scale_ *= options_.backoff_factor;
    good_steps_ = 0;
  } else if (++good_steps_ == options_.growth_interval) {
    scale_ *= options_.growth_factor;
    good_steps_ = 0;
  }
  seen_.clear();
}

StateDict GradScaler::state_dict() const {
  if (!options_.enabled) return {};
  auto now = [](auto value) {
    return Tensor(MakeRef<EagerValue>(Array::Scalar(value)));
  };
  return {{"scale", now(scale_)},
          {"growth_factor", now(options_.growth_factor)},
          {"backoff_factor", now(options_.backoff_factor)},
          {"growth_interval", now(options_.growth_interval)},
          {"good_steps", now(good_steps_)}};
}

void GradScaler::load_state_dict(const StateDict& state, Where where) {
  if (!options_.enabled) return;
  if (state.empty()) {
    Refuse("GradScaler: the state is empty: it is of a scaler not enabled",
           where);
  }
  // All of them, or none.
  auto scale = state.at("scale").item<double>();
  auto growth = state.at("growth_factor").item<double>();
  auto backoff = state.at("backoff_factor").item<double>();
  auto interval = state.at("growth_interval").item<int64_t>();
  good_steps_ = state.at("good_steps").item<int64_t>();
  options_.growth_factor = growth;
  options_.backoff_factor = backoff;
  options_.growth_interval = interval;
  scale_ = scale;
}

}  // namespace sluice::optim
