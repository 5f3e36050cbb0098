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
#include <optional>
#include <source_location>
#include <vector>

#include "sluice/eager/tensor.h"
#include "sluice/front/state_dict.h"
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

  bool enabled() const { return options_.enabled; }
  double get_scale() const;
  Tensor scale(const Tensor& loss, Where where = Where::current()) const;
  // Divides the gradients by the scale, for what looks at them before the step:
  // clipping, say. At most once for each step.
  void unscale_(Optimizer& optimizer, Where where = Where::current());
  // Returns whether the optimizer's step was done. At most once for each
  // optimizer and update().
  bool step(Optimizer& optimizer, Where where = Where::current());
  // The scale for the next step, by what the gradients were, or a given one;
  // once for each.
  void update(std::optional<double> new_scale = {},
              Where where = Where::current());

  // The same for an optimizer of another kind, known by its address: Python's.
  void unscale_(const void* optimizer, const std::vector<Tensor>& gradients,
                Where where = Where::current());
  bool unscaled(const void* optimizer) const {
    return seen_.contains(optimizer);
  }
  // Whether its step is to be done now. REQUIRES: unscaled(optimizer).
  bool may_step(const void* optimizer, Where where = Where::current());

  // "scale", "growth_factor", "backoff_factor", "growth_interval",
  // "good_steps"; nothing of a scaler that is not enabled, which takes anything
  // back and keeps nothing of it.
  StateDict state_dict() const;
  void load_state_dict(const StateDict& state, Where where = Where::current());

 private:
  struct Seen {
    bool overflowed = false, stepped = false;
  };

  GradScalerOptions options_;
  double scale_;
  int64_t good_steps_ = 0;
  // Of each optimizer whose gradients are unscaled since the last update.
  std::map<const void*, Seen> seen_;
};

}  // namespace sluice::optim
