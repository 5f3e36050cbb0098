// Rprop: steps by the signs of gradients alone, longer where a sign stays and
// shorter where it turns.
//   step_size = step_size eta_plus where g prev > 0, eta_minus where g prev <
//   0, held within [step_min, step_max]; it begins as lr in the first step g =
//   0 where g prev < 0 p = p - sign(g) step_size prev = g
// where g is the gradient. Slots: prev, step_size. A row without a gradient has
// a sign, 0: sparse gradients are made dense.
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct RpropOptions {
  static constexpr const char* kName = "Rprop";
  double lr = 1e-2;
  double eta_minus = 0.5, eta_plus = 1.2;
  double step_min = 1e-6, step_max = 50;
  bool maximize = false;
  void Check() const;
};

class Rprop : public OptimizerOf<RpropOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
  bool RowWise() const override { return false; }
};

}  // namespace sluice::optim
