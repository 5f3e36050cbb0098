#include "sluice/optim/adafactor.h"

#include <limits>

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

namespace {

// The root of the mean square, without axes.
Tensor Rms(const Tensor& x) { return sqrt(mean(x * x)); }

PartialShape WithOne(PartialShape shape, int axis) {
  shape.set_dim(shape.rank() + axis, 1);
  return shape;
}

}  // namespace

void AdafactorOptions::Check() const {
  CheckOption("Adafactor", "beta2_decay", beta2_decay, -HUGE_VAL, 0);
  CheckOption("Adafactor", "eps1", eps1);
  CheckOption("Adafactor", "eps2", eps2);
  CheckOption("Adafactor", "clip_threshold", clip_threshold, 1e-300);
  CheckOption("Adafactor", "weight_decay", weight_decay);
}

void Adafactor::Begin(GroupStep& step) {
  const AdafactorOptions& o = options(step.group());
  step.set("fresh", pow(step.count(), o.beta2_decay));
  step.set("relative", minimum(step.lr(), rsqrt(step.count())));
  step.set("decay", step.lr() * o.weight_decay);
}

void Adafactor::Update(Param& p, const Tensor& g) {
  const AdafactorOptions& o = options(p);
  double eps1 = o.eps1;
  if (eps1 == 0) {
    eps1 = p.dtype() == DType::kF64 ? std::numeric_limits<double>::epsilon()
                                    : std::numeric_limits<float>::epsilon();
  }
  Tensor fresh = p.scalar("fresh"), square = g * g, v;
  if (p.shape().rank() > 1) {
    PartialShape rows = WithOne(p.shape(), -1),
                 columns = WithOne(p.shape(), -2);
    SlotOptions of_rows{.shape = &rows}, of_columns{.shape = &columns};
    auto over = [](const Tensor& x, int64_t axis) {
      return mean(x, {.axes = {axis}, .keep_dims = true});
    };
    Tensor row = p.set(
        "row_var", lerp(p.slot("row_var", of_rows), over(square, -1), fresh),
        of_rows);
    Tensor column = p.set(
        "col_var", lerp(p.slot("col_var", of_columns), over(square, -2), fresh),
        of_columns);
    v = row * column / maximum(over(row, -2), eps1);
  } else {
    v = p.set("variance", lerp(p.slot("variance"), square, fresh));
  }
  Tensor u = g * rsqrt(maximum(v, eps1 * eps1));
  Tensor x = p.value();
  Tensor rate = p.scalar("relative") * maximum(Rms(x), o.eps2) /
                maximum(Rms(u) / o.clip_threshold, 1.0);
  Tensor change = rate * u;
  if (o.weight_decay != 0) change = mul_add(x, p.scalar("decay"), change);
  p.subtract(change);
}

}  // namespace sluice::optim
