#include "sluice/nn/init.h"

#include <cmath>
#include <numbers>

#include "sluice/base/strings.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/inverse_erf.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice::nn::init {

namespace {

// Numbers that only we have seen: scaled where they are.
Tensor Scaled(const Tensor& numbers, double scale, double offset) {
  if (scale != 1) numbers.mul_(scale);
  if (offset != 0) numbers.add_(offset);
  return numbers;
}

Tensor Fill(const Tensor& t, const Tensor& numbers, double scale, double offset,
            Where where) {
  t.copy_(Scaled(numbers, scale, offset), where);
  return t;
}

[[noreturn]] void Throw(const std::string& text, Where where) {
  throw Error(
      InvalidArgument(text).WithLine(StrCat("at ", SourceLine::From(where))));
}

}  // namespace

Tensor uniform_(const Tensor& t, double low, double high, Where where) {
  if (!(low <= high)) {
    Throw(StrCat("uniform_: low is ", low, ", high is ", high,
                 "; wanted low <= high"),
          where);
  }
  NoGrad off;
  return Fill(t, random_uniform(t.shape(), {.dtype = t.dtype()}, {}, where),
              high - low, low, where);
}

Tensor normal_(const Tensor& t, double mean, double std, Where where) {
  if (!(std >= 0)) {
    Throw(StrCat("normal_: std is ", std, "; wanted std >= 0"), where);
  }
  NoGrad off;
  return Fill(t, random_normal(t.shape(), {.dtype = t.dtype()}, {}, where), std,
              mean, where);
}

Tensor trunc_normal_(const Tensor& t, double mean, double std, double a,
                     double b, Where where) {
  if (!(std > 0 && a < b)) {
    Throw(StrCat("trunc_normal_: std is ", std, ", a ", a, " and b ", b,
                 "; wanted std > 0 and a < b"),
          where);
  }
  NoGrad off;
  // What of the distribution is below each bound, as erf has it: evenly drawn
  // shares of it between them, taken back.
  const double spread = std * std::numbers::sqrt2;
  const double low = std::erf((a - mean) / spread);
  const double high = std::erf((b - mean) / spread);
  Tensor shares = random_uniform(t.shape(), {.dtype = DType::kF64}, {}, where) *
                      (high - low) +
                  low;
  Tensor made = InverseErf(shares, where) * spread + mean;
  made = minimum(maximum(made, a, {}, where), b, {}, where);
  t.copy_(cast(made, t.dtype(), {}, where), where);
  return t;
}

Tensor constant_(const Tensor& t, double value, Where where) {
  NoGrad off;
  t.fill_(value, where);
  return t;
}

Tensor zeros_(const Tensor& t, Where where) { return constant_(t, 0, where); }
Tensor ones_(const Tensor& t, Where where) { return constant_(t, 1, where); }

Tensor orthogonal_(const Tensor& t, double gain, Where where) {
  if (t.rank() < 2) {
    Throw(StrCat("orthogonal_: the tensor is ", t.shape(),
                 "; wanted two axes or more"),
          where);
  }
  NoGrad off;
  int64_t rows = t.dim(0);
  if (t.num_elements() == 0) return t;
  int64_t columns = t.num_elements() / rows;
  int64_t longer = std::max(rows, columns), shorter = std::min(rows, columns);
  Tensor numbers =
      random_normal({longer, shorter}, {.dtype = t.dtype()}, {}, where);
  Tensor q = qr(numbers, {}, {}, where).q;
  if (rows < columns) q = transpose(q);
  PartialShape shape = t.shape();
  std::vector<int64_t> sizes(shape.dims().begin(), shape.dims().end());
  t.copy_(reshape(q * gain, Ints(sizes)), where);
  return t;
}

Fans fans(const Tensor& weight) {
  if (weight.rank() < 2) {
    throw Error(
        InvalidArgument(StrCat("fans: the weight is ", weight.shape(),
                               "; wanted two axes or more, [out, in, ...]")));
  }
  int64_t field = 1;
  for (int i = 2; i < weight.rank(); ++i) field *= weight.dim(i);
  return {weight.dim(1) * field, weight.dim(0) * field};
}

Tensor xavier_uniform_(const Tensor& t, double gain, Where where) {
  Fans f = fans(t);
  double bound = gain * std::sqrt(6.0 / static_cast<double>(f.in + f.out));
  return uniform_(t, -bound, bound, where);
}

Tensor xavier_normal_(const Tensor& t, double gain, Where where) {
  Fans f = fans(t);
  return normal_(
      t, 0, gain * std::sqrt(2.0 / static_cast<double>(f.in + f.out)), where);
}

namespace {

double KaimingStd(const Tensor& t, const KaimingOptions& options) {
  Fans f = fans(t);
  double fan = static_cast<double>(options.fan_out ? f.out : f.in);
  return calculate_gain(options.nonlinearity, options.a) /
         std::sqrt(std::max(1.0, fan));
}

}  // namespace

Tensor kaiming_uniform_(const Tensor& t, const KaimingOptions& options,
                        Where where) {
  double bound = std::sqrt(3.0) * KaimingStd(t, options);
  return uniform_(t, -bound, bound, where);
}

Tensor kaiming_normal_(const Tensor& t, const KaimingOptions& options,
                       Where where) {
  return normal_(t, 0, KaimingStd(t, options), where);
}

double calculate_gain(const std::string& nonlinearity, double a) {
  if (nonlinearity == "linear" || nonlinearity == "sigmoid" ||
      nonlinearity.starts_with("conv")) {
    return 1;
  }
  if (nonlinearity == "tanh") return 5.0 / 3;
  if (nonlinearity == "relu") return std::sqrt(2.0);
  if (nonlinearity == "leaky_relu") return std::sqrt(2 / (1 + a * a));
  if (nonlinearity == "selu") return 0.75;
  throw Error(InvalidArgument(
      StrCat("calculate_gain: nonlinearity is \"", nonlinearity,
             "\"; wanted linear, sigmoid, tanh, relu, leaky_relu or selu")));
}

Tensor NewUniform(const Sizes& shape, double bound, DType dtype) {
  NoGrad off;
  Tensor t = random_uniform(shape.shape(), {.dtype = dtype});
  return t.symbolic() ? t : Scaled(t, 2 * bound, -bound);
}

Tensor NewNormal(const Sizes& shape, double std, DType dtype) {
  NoGrad off;
  Tensor t = random_normal(shape.shape(), {.dtype = dtype});
  return t.symbolic() ? t : Scaled(t, std, 0);
}

}  // namespace sluice::nn::init
