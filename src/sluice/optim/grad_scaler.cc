#include "sluice/optim/grad_scaler.h"

#include <cmath>

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

}  // namespace

GradScaler::GradScaler(const GradScalerOptions& options)
    : options_(options), scale_(options.init_scale) {
  if (options.growth_factor <= 1) {
    throw Error(
        InvalidArgument(StrCat("GradScaler: growth_factor is ",
                               options.growth_factor, "; wanted more than 1")));
  }
  if (options.backoff_factor <= 0 || options.backoff_factor >= 1) {
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
  if (!options_.enabled) return;
  if (overflowed_.contains(&optimizer)) {
    Refuse(
        "GradScaler: unscale_() twice for one optimizer since update(); wanted "
        "once",
        where);
  }
  NoGrad off;
  bool bad = false;
  for (size_t group = 0; group < optimizer.num_groups(); ++group) {
    for (const Variable& parameter : optimizer.parameters(group)) {
      Tensor grad = parameter.tensor().grad();
      if (!grad.defined()) continue;
      grad.mul_(1 / scale_, where);
      Tensor wide = cast(grad, DType::kF32, {}, where);
      // Not a number once one of them is, or is infinite.
      Tensor sum = sluice::sum(mul(wide, 0.0, {}, where), {}, {}, where);
      bad = bad || std::isnan(sum.item<float>());
    }
  }
  overflowed_[&optimizer] = bad;
}

bool GradScaler::step(Optimizer& optimizer, Where where) {
  if (!options_.enabled) {
    optimizer.step(where);
    return true;
  }
  if (!overflowed_.contains(&optimizer)) unscale_(optimizer, where);
  if (overflowed_[&optimizer]) return false;
  optimizer.step(where);
  return true;
}

void GradScaler::update() {
  if (!options_.enabled) return;
  bool bad = false;
  for (const auto& [optimizer, overflowed] : overflowed_) {
    bad = bad || overflowed;
  }
  overflowed_.clear();
  if (bad) {
    scale_ *= options_.backoff_factor;
    good_steps_ = 0;
  } else if (++good_steps_ == options_.growth_interval) {
    scale_ *= options_.growth_factor;
    good_steps_ = 0;
  }
}

}  // namespace sluice::optim
