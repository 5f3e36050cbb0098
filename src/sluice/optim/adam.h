// Adam: running means of gradients and of their squares.
//   exp_avg = beta1 exp_avg + (1 - beta1) g
//   exp_avg_sq = beta2 exp_avg_sq + (1 - beta2) g g
//   p = p - lr m / (sqrt(v) + eps)
// where m and v are the means in parts of 1 - beta1^t and 1 - beta2^t in step
// t, and g is the gradient plus weight_decay p. With amsgrad, v is the largest
// so far. AdamW shrinks p by lr weight_decay p instead, before the rest.
// Slots: exp_avg, exp_avg_sq, max_exp_avg_sq. t counts the steps of the group.
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct AdamOptions {
  static constexpr const char* kName = "Adam";
  double lr = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool amsgrad = false;
  bool maximize = false;
  void Check() const;
};

struct AdamWOptions {
  static constexpr const char* kName = "AdamW";
  double lr = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 1e-2;
  bool amsgrad = false;
  bool maximize = false;
  void Check() const;
};

class Adam : public OptimizerOf<AdamOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Begin(GroupStep& step) override;
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
};

class AdamW : public OptimizerOf<AdamWOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Begin(GroupStep& step) override;
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
};

}  // namespace sluice::optim
