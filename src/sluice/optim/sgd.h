// Gradient descent, with momentum if wanted:
//   b = momentum b + (1 - dampening) g, in the first step b = g
//   p = p - lr b, with nesterov p = p - lr (g + momentum b)
// where g is the gradient plus weight_decay p. Slot: momentum_buffer.
// Momentum is what most people call it with momentum 0.9, Nesterov the same
// that looks ahead.
#pragma once

#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct SGDOptions {
  static constexpr const char* kName = "SGD";
  double lr = 1e-3;
  double momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
  bool maximize = false;
  void Check() const;
};

class SGD : public OptimizerOf<SGDOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Begin(GroupStep& step) override;
  void Update(Param& p, const Tensor& grad) override;
  bool Recordable() const override { return true; }
  bool Linear(size_t group) const override;
};

struct MomentumOptions {
  double lr = 1e-3;
  double momentum = 0.9, weight_decay = 0;
};

class Momentum : public SGD {
 public:
  explicit Momentum(const Parameters& parameters,
                    const MomentumOptions& options = {},
                    Where where = Where::current())
      : SGD(parameters, Full(options, false), where) {}
  explicit Momentum(const MomentumOptions& options,
                    Where where = Where::current())
      : SGD(Full(options, false), where) {}
  explicit Momentum(double lr, Where where = Where::current())
      : Momentum(MomentumOptions{.lr = lr}, where) {}

 protected:
  static SGDOptions Full(const MomentumOptions& o, bool nesterov) {
    return {.lr = o.lr,
            .momentum = o.momentum,
            .weight_decay = o.weight_decay,
            .nesterov = nesterov};
  }
};

class Nesterov : public SGD {
 public:
  explicit Nesterov(const Parameters& parameters,
                    const MomentumOptions& options = {},
                    Where where = Where::current())
      : SGD(parameters, Full(options), where) {}
  explicit Nesterov(const MomentumOptions& options,
                    Where where = Where::current())
      : SGD(Full(options), where) {}
  explicit Nesterov(double lr, Where where = Where::current())
      : Nesterov(MomentumOptions{.lr = lr}, where) {}

 private:
  static SGDOptions Full(const MomentumOptions& o) {
    return {.lr = o.lr,
            .momentum = o.momentum,
            .weight_decay = o.weight_decay,
            .nesterov = true};
  }
};

}  // namespace sluice::optim
