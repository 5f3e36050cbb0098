#include "sluice/optim/plateau.h"

#include <algorithm>

#include "sluice/optim/refuse.h"

namespace sluice::optim {

ReduceOnPlateau::ReduceOnPlateau(Optimizer& optimizer,
                                 const PlateauOptions& options)
    : optimizer_(optimizer),
      options_(options),
      best_(options.maximize ? -HUGE_VAL : HUGE_VAL) {
  CheckOption("ReduceOnPlateau", "factor", options.factor, 0, 1);
  if (options.factor == 1) {
    Refuse("ReduceOnPlateau: factor is 1; wanted less");
  }
  CheckOption("ReduceOnPlateau", "threshold", options.threshold);
  CheckOption("ReduceOnPlateau", "min_lr", options.min_lr);
  for (double low : options.min_lrs) {
    CheckOption("ReduceOnPlateau", "min_lr", low);
  }
  CheckOption("ReduceOnPlateau", "patience",
              static_cast<double>(options.patience));
  CheckOption("ReduceOnPlateau", "cooldown",
              static_cast<double>(options.cooldown));
}

bool ReduceOnPlateau::Better(double measure) const {
  if (std::isinf(best_))
    return options_.maximize ? measure > best_ : measure < best_;
  double sign = options_.maximize ? 1 : -1;
  double margin =
      options_.relative ? options_.threshold * best_ : options_.threshold;
  double wanted = best_ + sign * margin;
  return options_.maximize ? measure > wanted : measure < wanted;
}

void ReduceOnPlateau::step(double measure) {
  ++steps_;
  if (Better(measure)) {
    best_ = measure;
    bad_steps_ = 0;
  } else {
    ++bad_steps_;
  }
  if (cooldown_ > 0) {
    --cooldown_;
    bad_steps_ = 0;
  }
  if (bad_steps_ <= options_.patience) return;
  for (size_t i = 0; i < optimizer_.num_groups(); ++i) {
    double old = optimizer_.lr(i);
    const std::vector<double>& lows = options_.min_lrs;
    double low = i < lows.size() ? lows[i] : options_.min_lr;
    double next = std::max(old * options_.factor, low);
    if (old - next > options_.eps) optimizer_.set_lr(i, next);
  }
  cooldown_ = options_.cooldown;
  bad_steps_ = 0;
}

StateDict ReduceOnPlateau::state_dict() const {
  auto now = [](auto value) {
    return Tensor(MakeRef<EagerValue>(Array::Scalar(value)));
  };
  return {{"best", now(best_)},
          {"bad_steps", now(bad_steps_)},
          {"cooldown", now(cooldown_)},
          {"steps", now(steps_)}};
}

void ReduceOnPlateau::load_state_dict(const StateDict& state) {
  auto best = state.at("best").item<double>();
  auto bad_steps = state.at("bad_steps").item<int64_t>();
  auto cooldown = state.at("cooldown").item<int64_t>();
  steps_ = state.at("steps").item<int64_t>();
  best_ = best;
  bad_steps_ = bad_steps;
  cooldown_ = cooldown;
}

}  // namespace sluice::optim
