// Averaged gradient descent: the rate falls, and the mean of the parameters
// since step t0 is kept beside them.
//   p = p - eta lambd p - eta g
//   ax = ax + mu (p - ax)
//   eta = lr / (1 + lambd lr t)^alpha, mu = 1 / max(1, t - t0), for the next
// in step t, where g is the gradient plus weight_decay p; eta begins as lr, mu
// as 1. Slots: ax, and eta and mu without axes. All rows shrink: sparse
// gradients are made dense.
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct ASGDOptions {
  static constexpr const char* kName = "ASGD";
  double lr = 1e-2;
  double lambd = 1e-4, alpha = 0.75, t0 = 1e6, weight_decay = 0;
  bool maximize = false;
  void Check() const;
};

class ASGD : public OptimizerOf<ASGDOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Begin(GroupStep& step) override;
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
  bool RowWise() const override { return false; }
};

}  // namespace sluice::optim
