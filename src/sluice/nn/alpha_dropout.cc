#include "sluice/nn/alpha_dropout.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sluice/eager/operators.h"
#include "sluice/nn/beside.h"
#include "sluice/nn/checks.h"
#include "sluice/ops.h"

namespace sluice {

using Where = std::source_location;

namespace {

// What SELU tends to far below 0.
constexpr double kFloor = -1.7580993408473766;

Tensor SetAside(const char* name, const Tensor& x, PartialShape shape,
                const AlphaDropoutOptions& options, Where where) {
  const double p = options.p;
  SL_WANT(p >= 0 && p <= 1, where, name, ": p is ", p, "; wanted 0 <= p <= 1");
  if (!options.training || p == 0) return x;
  if (p == 1) return mul(x, 0, {}, where);
  Tensor drawn = options.drawn;
  if (!drawn.defined()) {
    SL_WANT(shape.fully_known(), where, name, ": x is ",
            TypeText(x.dtype(), x.shape()), "; wanted a known shape");
    drawn = nn::Beside(x, random_uniform(shape, {}, {}, where), where);
  }
  Tensor kept = cast(drawn < 1 - p, x.dtype(), {}, where);
  double scale = std::pow((kFloor * kFloor * p + 1) * (1 - p), -0.5);
  return ((x - kFloor) * kept + kFloor * (1 - p)) * scale;
}

}  // namespace

Tensor alpha_dropout(const Tensor& x, const AlphaDropoutOptions& options,
                     Where where) {
  return SetAside("alpha_dropout", x, x.shape(), options, where);
}

Tensor feature_alpha_dropout(const Tensor& x,
                             const AlphaDropoutOptions& options, Where where) {
  bool drawing = options.training && options.p > 0 && options.p < 1;
  SL_WANT(!drawing || x.rank() >= 2, where, "feature_alpha_dropout: x is ",
          TypeText(x.dtype(), x.shape()), "; wanted [batch, channels, ...]");
  std::vector<int64_t> sizes(static_cast<size_t>(std::max(x.rank(), 0)), 1);
  for (size_t i = 0; i < std::min<size_t>(sizes.size(), 2); ++i) {
    sizes[i] = x.dim(static_cast<int>(i));
  }
  return SetAside("feature_alpha_dropout", x, PartialShape::Make(sizes).value(),
                  options, where);
}

}  // namespace sluice
