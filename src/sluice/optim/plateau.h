// ReduceOnPlateau: makes learning rates smaller when a measure has stopped
// getting better.
//
//   sl::optim::ReduceOnPlateau schedule(adam, {.factor = 0.5, .patience = 3});
//   schedule.step(validation_loss);      // after each epoch
//
// The optimizer must outlive it.
#pragma once

#include <vector>

#include "sluice/front/state_dict.h"
#include "sluice/optim/optimizer.h"

namespace sluice::optim {

struct PlateauOptions {
  bool maximize = false;  // larger is better
  double factor = 0.1;
  // Steps that are no better before rates change.
  int64_t patience = 10;
  // What counts as better: by that part of the best, or by that much.
  double threshold = 1e-4;
  bool relative = true;
  // Steps after a change that do not count.
  int64_t cooldown = 0;
  double min_lr = 0;
  // One for each group, in place of min_lr; groups without one have that.
  std::vector<double> min_lrs = {};
  double eps = 1e-8;  // smaller changes are not made
};

class ReduceOnPlateau {
 public:
  explicit ReduceOnPlateau(Optimizer& optimizer,
                           const PlateauOptions& options = {});

  // A measure that is NaN is no better than any other.
  void step(double measure);
  double best() const { return best_; }

  // "best", "bad_steps", "cooldown", "steps". Rates are the optimizer's state.
  StateDict state_dict() const;
  void load_state_dict(const StateDict& state);

 private:
  bool Better(double measure) const;

  Optimizer& optimizer_;
  PlateauOptions options_;
  double best_;
  int64_t bad_steps_ = 0, cooldown_ = 0, steps_ = 0;
};

}  // namespace sluice::optim
