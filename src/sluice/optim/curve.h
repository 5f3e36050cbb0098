// Curve: a learning rate as a function of the number of steps done, and of the
// rate it begins with. The same formula gives a number, for Schedule
// (optim/schedule.h), and a tensor, for graphs and recorded plans, which then
// follow it by themselves (Optimizer::follow).
//
//   auto curve = sl::optim::warm_up({.steps = 500},
//                                   sl::optim::cosine({.steps = 10000}));
//   sl::optim::Adam adam(net.parameters(), {.lr = 1e-3});
//   sl::optim::Schedule schedule(adam, curve);
//
// The formulas are those of PyTorch's schedulers of like names. A plain value.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice::optim {

class Curve {
 public:
  using OfNumbers = std::function<double(double base, double step)>;
  using OfTensors =
      std::function<Tensor(const Tensor& base, const Tensor& step)>;

  // Without the second it gives numbers only.
  Curve(OfNumbers numbers, OfTensors tensors = {})
      : numbers_(std::move(numbers)), tensors_(std::move(tensors)) {}

  // Step 0 is the first.
  double at(double base, double step) const { return numbers_(base, step); }
  // The step of any type without axes; f64 comes out.
  Tensor at(double base, const Tensor& step) const;
  Tensor at(const Tensor& base, const Tensor& step) const;

 private:
  OfNumbers numbers_;
  OfTensors tensors_;
};

Curve constant_rate();

// Times gamma after every step_size steps.
struct StepDecayOptions {
  int64_t step_size = 1;
  double gamma = 0.1;
};
Curve step_decay(const StepDecayOptions& options);

// Times gamma at each of these steps.
struct MultiStepOptions {
  std::vector<int64_t> milestones{};
  double gamma = 0.1;
};
Curve multi_step(const MultiStepOptions& options);

// Times gamma at every step.
Curve exponential(double gamma);

// From start_factor to end_factor of the base in so many steps; it stays there.
struct LinearOptions {
  double start_factor = 1.0 / 3, end_factor = 1;
  double steps = 5;
};
Curve linear_factor(const LinearOptions& options);

// A part of the base for so many steps, then all of it.
struct ConstantFactorOptions {
  double factor = 1.0 / 3;
  double steps = 5;
};
Curve constant_factor(const ConstantFactorOptions& options);

// Down to 0 in so many steps, as (1 - step / steps)^power.
struct PolynomialOptions {
  double steps = 5;
  double power = 1;
};
Curve polynomial(const PolynomialOptions& options);

// Half a cosine down to min_lr in so many steps, then again from the top, each
// time `growth` times as long. Of numbers only, where it grows.
struct CosineRestartsOptions {
  int64_t steps = 1;
  int64_t growth = 1;
  double min_lr = 0;
};
Curve cosine_restarts(const CosineRestartsOptions& options);

// From the base down to min_lr along half a cosine, and on along it.
struct CosineOptions {
  int64_t steps = 1;
  double min_lr = 0;
};
Curve cosine(const CosineOptions& options);

// Up from max_lr / div_factor to max_lr, then down to a final_div_factor-th of
// the first; the base does not matter. It stays there after the last step.
struct OneCycleOptions {
  double max_lr = 0.1;
  int64_t total_steps = 2;
  double pct_start = 0.3;  // the part of all steps that goes up
  bool linear = false;     // along lines instead of cosines
  double div_factor = 25, final_div_factor = 1e4;
  bool three_phase = false;  // down to the first rate, then to the last
};
Curve one_cycle(const OneCycleOptions& options);

// From the base up to max_lr and back on lines, and again, without an end.
struct CyclicOptions {
  double max_lr = 0.1;
  double steps = 4000;  // of one cycle
  double up = 0.5;      // the part of them that goes up
  // triangular: each cycle is as high as the first. triangular2: half as high
  // as the one before. exp_range: heights times gamma at every step.
  std::string mode = "triangular";
  double gamma = 1;
};
Curve cyclic(const CyclicOptions& options);

// From the base to a target, along half a cosine or a line; it stays there.
struct AnnealOptions {
  double target = 0;
  double steps = 10;
  bool linear = false;
};
Curve anneal(const AnnealOptions& options);

// On a line from a part of the base to all of it, then `next` from its step 0.
struct WarmUpOptions {
  int64_t steps = 1;
  double start_factor = 1.0 / 3;
};
Curve warm_up(const WarmUpOptions& options, Curve next = constant_rate());

}  // namespace sluice::optim
