// Lion: steps of one size, in the direction of a running mean.
//   p = p - lr (sign(beta1 exp_avg + (1 - beta1) g) + weight_decay p)
//   exp_avg = beta2 exp_avg + (1 - beta2) g
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct LionOptions {
  static constexpr const char* kName = "Lion";
  double lr = 1e-4;
  double beta1 = 0.9, beta2 = 0.99, weight_decay = 0;
  bool maximize = false;
  void Check() const;
};

class Lion : public OptimizerOf<LionOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
};

}  // namespace sluice::optim
