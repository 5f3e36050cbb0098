#include "sluice/nn/linear.h"

#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/init.h"

namespace sluice::nn {

Linear::Linear(int64_t in_features, int64_t out_features,
               const LinearOptions& options, Where where)
    : in_features(in_features), out_features(out_features) {
  SL_WANT(in_features >= 0 && out_features >= 0, where,
          "Linear: in_features is ", in_features, ", out_features is ",
          out_features, "; wanted neither negative");
  double bound = in_features > 0 ? 1 / std::sqrt(in_features) : 0;
  weight = add_parameter("weight", init::NewUniform({out_features, in_features},
                                                    bound, options.dtype));
  if (options.bias) {
    bias = add_parameter(
        "bias", init::NewUniform({out_features}, bound, options.dtype));
  }
}

Tensor Linear::forward(Tensor x) { return linear(x, weight, bias, line()); }

std::string Linear::extra_repr() const {
  return StrCat(in_features, ", ", out_features,
                bias.defined() ? "" : ", bias=false");
}

Bilinear::Bilinear(int64_t in1_features, int64_t in2_features,
                   int64_t out_features, const LinearOptions& options,
                   Where where) {
  SL_WANT(in1_features > 0 && in2_features > 0 && out_features > 0, where,
          "Bilinear: features are ", in1_features, ", ", in2_features, " and ",
          out_features, "; wanted all positive");
  double bound = 1 / std::sqrt(in1_features);
  weight = add_parameter(
      "weight", init::NewUniform({out_features, in1_features, in2_features},
                                 bound, options.dtype));
  if (options.bias) {
    bias = add_parameter(
        "bias", init::NewUniform({out_features}, bound, options.dtype));
  }
}

Tensor Bilinear::forward(Tensor x1, Tensor x2) {
  return bilinear(x1, x2, weight, bias, line());
}

std::string Bilinear::extra_repr() const {
  return StrCat(weight.dim(1), ", ", weight.dim(2), ", ", weight.dim(0),
                bias.defined() ? "" : ", bias=false");
}

}  // namespace sluice::nn
