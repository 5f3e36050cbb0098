// RMSProp: gradients in parts of their running root mean square.
//   square_avg = alpha square_avg + (1 - alpha) g g
//   u = g / (sqrt(square_avg) + eps)
//   p = p - lr u, with momentum b = momentum b + u and p = p - lr b
// where g is the gradient plus weight_decay p. Centered, the square of
// grad_avg = alpha grad_avg + (1 - alpha) g is taken off square_avg under the
// root. Slots: square_avg, grad_avg, momentum_buffer.
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct RMSPropOptions {
  static constexpr const char* kName = "RMSProp";
  double lr = 1e-2;
  double alpha = 0.99, eps = 1e-8, weight_decay = 0, momentum = 0;
  bool centered = false;
  bool maximize = false;
  void Check() const;
};

class RMSProp : public OptimizerOf<RMSPropOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
};

}  // namespace sluice::optim
