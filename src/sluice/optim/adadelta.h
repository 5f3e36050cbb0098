// Adadelta: steps as long as the steps before, in parts of gradients.
//   square_avg = rho square_avg + (1 - rho) g g
//   d = sqrt(acc_delta + eps) / sqrt(square_avg + eps) g
//   acc_delta = rho acc_delta + (1 - rho) d d
//   p = p - lr d
// where g is the gradient plus weight_decay p.
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct AdadeltaOptions {
  static constexpr const char* kName = "Adadelta";
  double lr = 1;
  double rho = 0.9, eps = 1e-6, weight_decay = 0;
  bool maximize = false;
  void Check() const;
};

class Adadelta : public OptimizerOf<AdadeltaOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
};

}  // namespace sluice::optim
