// GradScaler: keeps gradients of f16 from becoming zero. Losses are multiplied
// by a scale before backward(), gradients divided by it before the step:
//
//   sl::optim::GradScaler scaler;
//   scaler.scale(loss).backward();
//   scaler.step(adam);
//   scaler.update();
//
// A step whose gradients hold an infinity or a NaN is left out, and the scale
// becomes smaller; after growth_interval good steps in a row it grows. bf16 has
// the range of f32 and needs none of this. Imperative: step waits for the
// gradients. Not thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <source_location>

#include "sluice/eager/tensor.h"
#include "sluice/optim/optimizer.h"

namespace sluice::optim {

struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;     // above 1
  double backoff_factor = 0.5;  // between 0 and 1
  int64_t growth_interval = 2000;
  bool enabled = true;
};

class GradScaler {
 public:
  using Where = std::source_location;

  explicit GradScaler(const GradScalerOptions& options = {});

  double get_scale() const;
  Tensor scale(const Tensor& loss, Where where = Where::current()) const;
  // Divides the gradients by the scale, for what looks at them before the step:
  // clipping, say. At most once for each step.
  void unscale_(Optimizer& optimizer, Where where = Where::current());
  // Returns whether the optimizer's step was done.
  bool step(Optimizer& optimizer, Where where = Where::current());
  // The scale for the next step; once for each.
  void update();

 private:
  GradScalerOptions options_;
  double scale_;
  int64_t good_steps_ = 0;
  // Of each optimizer whose gradients are unscaled: whether one overflowed.
  std::map<const Optimizer*, bool> overflowed_;
};

}  // namespace sluice::optim
