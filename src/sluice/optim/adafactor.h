// Adafactor: like Adam without the mean of gradients, and for tensors of two or
// more axes with the mean squares of rows and columns in place of one for each
// element. In step t, with g the gradient and d = 1 - t^beta2_decay:
//   row_var = d row_var + (1 - d) mean of g g over columns
//   col_var = d col_var + (1 - d) mean of g g over rows
//   v = row_var col_var / max(mean of row_var, eps1)
//   u = g / sqrt(max(v, eps1^2)), divided by max(1, rms(u) / clip_threshold)
//   p = p - lr weight_decay p - max(eps2, rms(p)) min(lr, 1 / sqrt(t)) u
// A vector has `variance` instead, the running mean of g g, for v. Rows of a
// parameter depend on each other: sparse gradients are made dense.
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct AdafactorOptions {
  static constexpr const char* kName = "Adafactor";
  double lr = 1e-2;
  double beta2_decay = -0.8;
  double eps1 = 0;  // 0: the distance of 1 to the next number of the type
  double eps2 = 1e-3;
  double clip_threshold = 1, weight_decay = 0;
  bool maximize = false;
  void Check() const;
};

class Adafactor : public OptimizerOf<AdafactorOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Begin(GroupStep& step) override;
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
  bool RowWise() const override { return false; }
};

}  // namespace sluice::optim
