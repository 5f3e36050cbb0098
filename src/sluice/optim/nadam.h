// NAdam: Adam that looks ahead, as Nesterov's momentum does.
//   mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2)
//   mu_product = mu_product mu_t, from 1
//   exp_avg = beta1 exp_avg + (1 - beta1) g
//   exp_avg_sq = beta2 exp_avg_sq + (1 - beta2) g g
//   m = (1 - mu_t) g / (1 - mu_product)
//       + mu_(t+1) exp_avg / (1 - mu_product mu_(t+1))
//   p = p - lr m / (sqrt(exp_avg_sq / (1 - beta2^t)) + eps)
// in step t, where g is the gradient plus weight_decay p; with
// decoupled_weight_decay p shrinks by lr weight_decay p before the rest
// instead. Slots: exp_avg, exp_avg_sq, and mu_product without axes.
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct NAdamOptions {
  static constexpr const char* kName = "NAdam";
  double lr = 2e-3;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  double momentum_decay = 4e-3;
  bool decoupled_weight_decay = false;
  bool maximize = false;
  void Check() const;
};

class NAdam : public OptimizerOf<NAdamOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Begin(GroupStep& step) override;
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
};

}  // namespace sluice::optim
