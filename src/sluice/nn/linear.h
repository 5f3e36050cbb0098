// Linear: x weight' + bias, along the last axis.
#pragma once

#include "sluice/nn/module.h"

namespace sluice::nn {

struct LinearOptions {
  bool bias = true;
  DType dtype = DType::kF32;
};

class Linear : public Module {
 public:
  Linear(int64_t in_features, int64_t out_features,
         const LinearOptions& options = {}, Where where = Where::current());

  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

  Tensor weight;  // [out_features, in_features]
  Tensor bias;    // [out_features]; holds nothing without
  const int64_t in_features, out_features;
};

// x1' weight x2 + bias, for every row of x1 and x2.
class Bilinear : public Module {
 public:
  Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features,
           const LinearOptions& options = {}, Where where = Where::current());

  using Module::forward;
  Tensor forward(Tensor x1, Tensor x2);
  Tensor operator()(Tensor x1, Tensor x2, Where where = Where::current()) {
    return noted(where, [&] { return forward(x1, x2); });
  }
  std::string extra_repr() const override;

  Tensor weight;  // [out_features, in1_features, in2_features]
  Tensor bias;
};

}  // namespace sluice::nn
