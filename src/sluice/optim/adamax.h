// Adamax: Adam with the largest gradient, which fades, in place of the root of
// the mean square.
//   exp_avg = beta1 exp_avg + (1 - beta1) g
//   exp_inf = max(beta2 exp_inf, |g| + eps)
//   p = p - lr / (1 - beta1^t) exp_avg / exp_inf
// in step t, where g is the gradient plus weight_decay p.
// Slots: exp_avg, exp_inf.
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct AdamaxOptions {
  static constexpr const char* kName = "Adamax";
  double lr = 2e-3;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool maximize = false;
  void Check() const;
};

class Adamax : public OptimizerOf<AdamaxOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Begin(GroupStep& step) override;
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
};

}  // namespace sluice::optim
