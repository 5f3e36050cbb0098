// Adagrad: smaller steps where gradients were large.
//   sum = sum + g g
//   p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(sum) + eps)
// where g is the gradient plus weight_decay p, in step t. Slot: sum.
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct AdagradOptions {
  static constexpr const char* kName = "Adagrad";
  double lr = 1e-2;
  double lr_decay = 0, weight_decay = 0, initial_accumulator_value = 0;
  double eps = 1e-10;
  bool maximize = false;
  void Check() const;
};

class Adagrad : public OptimizerOf<AdagradOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Begin(GroupStep& step) override;
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
};

}  // namespace sluice::optim
