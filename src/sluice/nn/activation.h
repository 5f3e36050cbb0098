// Activations as modules, by PyTorch's names; as functions they are in
// <sluice/ops.h>.
#pragma once

#include "sluice/nn/module.h"

namespace sluice::nn {

// Those without arguments.
#define SL_ACTIVATION(Name)            \
  class Name : public Module {         \
   public:                             \
    Tensor forward(Tensor x) override; \
  };
SL_ACTIVATION(ReLU)
SL_ACTIVATION(ReLU6)
SL_ACTIVATION(SELU)
SL_ACTIVATION(SiLU)
SL_ACTIVATION(Mish)
SL_ACTIVATION(Sigmoid)
SL_ACTIVATION(Tanh)
SL_ACTIVATION(Hardsigmoid)
SL_ACTIVATION(Hardswish)
SL_ACTIVATION(Softsign)
SL_ACTIVATION(Tanhshrink)
SL_ACTIVATION(LogSigmoid)
#undef SL_ACTIVATION

// Those with one number.
#define SL_ACTIVATION(Name, argument, preset)                          \
  class Name : public Module {                                         \
   public:                                                             \
    explicit Name(double argument = preset) : argument##_(argument) {} \
    Tensor forward(Tensor x) override;                                 \
    std::string extra_repr() const override;                           \
                                                                       \
   private:                                                            \
    double argument##_;                                                \
  };
SL_ACTIVATION(LeakyReLU, negative_slope, 0.01)
SL_ACTIVATION(ELU, alpha, 1)
SL_ACTIVATION(CELU, alpha, 1)
SL_ACTIVATION(Softplus, beta, 1)
SL_ACTIVATION(Softshrink, lambd, 0.5)
SL_ACTIVATION(Hardshrink, lambd, 0.5)
#undef SL_ACTIVATION

// Those along an axis.
#define SL_ACTIVATION(Name)                        \
  class Name : public Module {                     \
   public:                                         \
    explicit Name(int64_t dim = -1) : dim_(dim) {} \
    Tensor forward(Tensor x) override;             \
    std::string extra_repr() const override;       \
                                                   \
   private:                                        \
    int64_t dim_;                                  \
  };
SL_ACTIVATION(Softmax)
SL_ACTIVATION(LogSoftmax)
SL_ACTIVATION(GLU)
#undef SL_ACTIVATION

class GELU : public Module {
 public:
  explicit GELU(std::string approximate = "none")  // or tanh
      : approximate_(std::move(approximate)) {}
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

 private:
  std::string approximate_;
};

class Hardtanh : public Module {
 public:
  explicit Hardtanh(double min_val = -1, double max_val = 1)
      : min_(min_val), max_(max_val) {}
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

 private:
  double min_, max_;
};

class Threshold : public Module {
 public:
  Threshold(double threshold, double value)
      : threshold_(threshold), value_(value) {}
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

 private:
  double threshold_, value_;
};

// A slope for negative inputs that is learnt, one for all or one per channel.
class PReLU : public Module {
 public:
  explicit PReLU(int64_t num_parameters = 1, double init = 0.25,
                 DType dtype = DType::kF32, Where where = Where::current());
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

  Tensor weight;  // [num_parameters]
};

}  // namespace sluice::nn
