#include "sluice/nn/activation.h"

#include "sluice/eager/constants.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice::nn {

Tensor ReLU::forward(Tensor x) { return relu(x, {}, line()); }
Tensor ReLU6::forward(Tensor x) { return relu6(x, {}, line()); }
Tensor SELU::forward(Tensor x) { return selu(x, {}, line()); }
Tensor SiLU::forward(Tensor x) { return silu(x, {}, line()); }
Tensor Mish::forward(Tensor x) { return mish(x, {}, line()); }
Tensor Sigmoid::forward(Tensor x) { return sigmoid(x, {}, line()); }
Tensor Tanh::forward(Tensor x) { return tanh(x, {}, line()); }
Tensor Hardsigmoid::forward(Tensor x) { return hard_sigmoid(x, {}, line()); }
Tensor Hardswish::forward(Tensor x) { return hard_swish(x, {}, line()); }
Tensor Softsign::forward(Tensor x) { return softsign(x, {}, line()); }
Tensor Tanhshrink::forward(Tensor x) { return tanh_shrink(x, {}, line()); }
Tensor LogSigmoid::forward(Tensor x) { return log_sigmoid(x, {}, line()); }

Tensor LeakyReLU::forward(Tensor x) {
  return leaky_relu(x, {.alpha = negative_slope_}, {}, line());
}
std::string LeakyReLU::extra_repr() const {
  return StrCat("negative_slope=", negative_slope_);
}
Tensor ELU::forward(Tensor x) { return elu(x, {.alpha = alpha_}, {}, line()); }
std::string ELU::extra_repr() const { return StrCat("alpha=", alpha_); }
Tensor CELU::forward(Tensor x) {
  return celu(x, {.alpha = alpha_}, {}, line());
}
std::string CELU::extra_repr() const { return StrCat("alpha=", alpha_); }
Tensor Softplus::forward(Tensor x) { return softplus(x, beta_, 20, line()); }
std::string Softplus::extra_repr() const { return StrCat("beta=", beta_); }
Tensor Softshrink::forward(Tensor x) {
  return soft_shrink(x, {.lambd = lambd_}, {}, line());
}
std::string Softshrink::extra_repr() const { return StrCat("lambd=", lambd_); }
Tensor Hardshrink::forward(Tensor x) {
  return hard_shrink(x, {.lambd = lambd_}, {}, line());
}
std::string Hardshrink::extra_repr() const { return StrCat("lambd=", lambd_); }

Tensor Softmax::forward(Tensor x) {
  return softmax(x, {.axis = dim_}, {}, line());
}
std::string Softmax::extra_repr() const { return StrCat("dim=", dim_); }
Tensor LogSoftmax::forward(Tensor x) {
  return log_softmax(x, {.axis = dim_}, {}, line());
}
std::string LogSoftmax::extra_repr() const { return StrCat("dim=", dim_); }
Tensor GLU::forward(Tensor x) { return glu(x, {.axis = dim_}, {}, line()); }
std::string GLU::extra_repr() const { return StrCat("dim=", dim_); }

Tensor GELU::forward(Tensor x) {
  return gelu(x, {.approximate = approximate_}, {}, line());
}
std::string GELU::extra_repr() const {
  return approximate_ == "none" ? "" : StrCat("approximate=", approximate_);
}

Tensor Hardtanh::forward(Tensor x) {
  return hard_tanh(x, {.min = min_, .max = max_}, {}, line());
}
std::string Hardtanh::extra_repr() const {
  return StrCat("min_val=", min_, ", max_val=", max_);
}

Tensor Threshold::forward(Tensor x) {
  return threshold(x, threshold_, value_, {}, line());
}
std::string Threshold::extra_repr() const {
  return StrCat(threshold_, ", ", value_);
}

PReLU::PReLU(int64_t num_parameters, double init, DType dtype, Where where) {
  SL_WANT(num_parameters > 0, where, "PReLU: num_parameters is ",
          num_parameters, "; wanted it positive");
  Tensor slopes = zeros({num_parameters}, dtype);
  slopes.fill_(init);
  weight = add_parameter("weight", slopes);
}

Tensor PReLU::forward(Tensor x) {
  int64_t slopes = weight.dim(0);
  if (slopes == 1) return prelu(x, weight, {}, line());
  SL_WANT(x.rank() >= 2 && (x.dim(1) < 0 || x.dim(1) == slopes), line(),
          "PReLU: x is ", TypeText(x.dtype(), x.shape()), "; wanted ", slopes,
          " channels on axis 1");
  std::vector<int64_t> shape(static_cast<size_t>(x.rank()) - 1, 1);
  shape[0] = slopes;
  return prelu(x, reshape(weight, Ints(shape), {}, line()), {}, line());
}

std::string PReLU::extra_repr() const {
  return StrCat("num_parameters=", weight.dim(0));
}

}  // namespace sluice::nn
