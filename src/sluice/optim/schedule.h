// Schedule: sets the learning rates of an optimizer along a curve, one point
// per step(). The classes below go by the names people know; anything else is
// Schedule(optimizer, curve), with the curves of optim/curve.h.
//
//   sl::optim::StepLR schedule(adam, {.step_size = 30, .gamma = 0.1});
//   for (int epoch = 0; epoch < 90; ++epoch) { Train();  schedule.step(); }
//
// The optimizer must outlive it. In a graph, which computes rates by itself,
// use Optimizer::follow, or at() for the rate as a value.
#pragma once

#include <functional>
#include <vector>

#include "sluice/front/state_dict.h"
#include "sluice/optim/curve.h"
#include "sluice/optim/optimizer.h"

namespace sluice::optim {

class Schedule {
 public:
  // The rates the groups have now are what the curve begins with; its first
  // point is set at once.
  Schedule(Optimizer& optimizer, Curve curve);

  void step();
  int64_t steps() const { return steps_; }
  // What the curve says for that step, as a value of a graph: f64.
  Tensor at(const Tensor& step, size_t group = 0) const;

  // "steps" and "base_lrs". load_state_dict also sets the rates.
  StateDict state_dict() const;
  void load_state_dict(const StateDict& state);

 private:
  void Set();

  Optimizer& optimizer_;
  Curve curve_;
  int64_t steps_ = 0;
  std::vector<double> base_lrs_;
};

class StepLR : public Schedule {
 public:
  StepLR(Optimizer& optimizer, const StepDecayOptions& options)
      : Schedule(optimizer, step_decay(options)) {}
};

class CosineAnnealing : public Schedule {
 public:
  CosineAnnealing(Optimizer& optimizer, const CosineOptions& options)
      : Schedule(optimizer, cosine(options)) {}
};

class OneCycle : public Schedule {
 public:
  OneCycle(Optimizer& optimizer, const OneCycleOptions& options)
      : Schedule(optimizer, one_cycle(options)) {}
};

class WarmUp : public Schedule {
 public:
  WarmUp(Optimizer& optimizer, const WarmUpOptions& options,
         Curve next = constant_rate())
      : Schedule(optimizer, warm_up(options, std::move(next))) {}
};

// The rate the group began with times factor(step).
class LambdaLR : public Schedule {
 public:
  LambdaLR(Optimizer& optimizer, std::function<double(int64_t)> factor);
};

}  // namespace sluice::optim
