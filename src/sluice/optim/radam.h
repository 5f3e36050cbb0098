// RAdam: Adam that begins as descent along the mean of gradients, until there
// are enough squares to divide by.
//   exp_avg = beta1 exp_avg + (1 - beta1) g
//   exp_avg_sq = beta2 exp_avg_sq + (1 - beta2) g g
//   m = exp_avg / (1 - beta1^t), v = exp_avg_sq / (1 - beta2^t)
//   most = 2 / (1 - beta2) - 1
//   rho = most - 2 t beta2^t / (1 - beta2^t)
//   p = p - lr m where rho is at most 5, else p = p - lr r m / sqrt(v), with
//   r = sqrt((rho - 4) (rho - 2) most / ((most - 4) (most - 2) rho))
// in step t, where g is the gradient plus weight_decay p, and eps is added to
// the root of exp_avg_sq. With decoupled_weight_decay p shrinks by
// lr weight_decay p before the rest instead. Slots: exp_avg, exp_avg_sq.
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct RAdamOptions {
  static constexpr const char* kName = "RAdam";
  double lr = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool decoupled_weight_decay = false;
  bool maximize = false;
  void Check() const;
};

class RAdam : public OptimizerOf<RAdamOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Begin(GroupStep& step) override;
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
};

}  // namespace sluice::optim
