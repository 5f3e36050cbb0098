#include "sluice/nn/inverse_erf.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "sluice/eager/operators.h"
#include "sluice/ops.h"

namespace sluice::nn {

using Where = std::source_location;

namespace {

constexpr double kBend = 0.147;  // makes the first guess good to 0.2 %

// About the y with erfc(y) = q, for 0 < q <= 1.
Tensor FirstGuess(const Tensor& q, Where where) {
  const double pi = std::numbers::pi;
  Tensor log_q = log(q, {}, where);
  Tensor whole = log_q + log(2.0 - q, {}, where);
  Tensor half = whole * 0.5 + 2 / (pi * kBend);
  Tensor root = sqrt(square(half, {}, where) - whole / kBend, {}, where);
  Tensor near = sqrt(maximum(root - half, 0.0, {}, where), {}, where);
  // Far out erfc(y) is exp(-y^2) / (y sqrt(pi)).
  Tensor bound = minimum(log_q, -10.0, {}, where);
  Tensor far = sqrt(-bound, {}, where);
  for (int i = 0; i < 3; ++i) {
    Tensor scaled = log(far * std::sqrt(pi), {}, where);
    far = sqrt(-(bound + scaled), {}, where);
  }
  return sluice::where(log_q < -20.0, far, near, {}, where);
}

}  // namespace

Tensor InverseErfc(const Tensor& q, const Tensor& x, Where where) {
  const double slope = 2 / std::sqrt(std::numbers::pi);  // of erf at 0
  Tensor inside = logical_and(q > 0.0, q <= 1.0, {}, where);
  Tensor tail = sluice::where(inside, q, 0.5, {}, where);
  Tensor body = sluice::where(inside, x, 0.5, {}, where);
  Tensor y = FirstGuess(tail, where);
  for (int i = 0; i < 3; ++i) {
    // Halley's steps: each has three times the digits of the one before.
    Tensor off = sluice::where(body < 0.5, erf(y, {}, where) - body,
                               tail - erfc(y, {}, where), {}, where);
    Tensor step = off / (exp(-square(y, {}, where), {}, where) * slope);
    y = y - step / (y * step + 1.0);
  }
  return y;
}

Tensor InverseErf(const Tensor& x, Where where) {
  Tensor wide = cast(x, DType::kF64, {}, where);
  Tensor size = abs(wide, {}, where);
  Tensor y = InverseErfc(1.0 - size, size, where);
  y = sluice::where(sluice::equal(size, 1.0, {}, where),
                    std::numeric_limits<double>::infinity(), y, {}, where);
  y = sluice::where(size <= 1.0, y, std::numeric_limits<double>::quiet_NaN(),
                    {}, where);
  return cast(copy_sign(y, wide, {}, where), x.dtype(), {}, where);
}

}  // namespace sluice::nn
