#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/convert.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"

namespace sluice {
namespace {

BlockKernel Pick(const Attrs&, std::span<const DType> in, DType out) {
  return ConvertBlock(in[0], out);
}

struct Range {
  double lo, hi;
};
Range RangeOf(DType dtype) {
  double bits = static_cast<double>(DTypeSize(dtype) * 8);
  if (dtype >= DType::kU8) return {0, std::exp2(bits) - 1};
  return {-std::exp2(bits - 1), std::exp2(bits - 1) - 1};
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  DType to = attrs.get<DType>("dtype");
  RefArray y = in[0];
  for (double& v : y.v) {
    if (to == DType::kBool) {
      v = v != 0;
    } else if (IsInteger(to) && !IsInteger(in[0].dtype)) {
      Range range = RangeOf(to);
      v = std::isnan(v) ? 0 : std::trunc(v);
      v = v < range.lo ? range.lo : v > range.hi ? range.hi : v;
    }
  }
  return {y};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  for (DType to :
       {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8,
        DType::kI16, DType::kI32, DType::kI64, DType::kU8, DType::kU16,
        DType::kU32, DType::kU64, DType::kBool, DType::kC64}) {
    samples.push_back({.in = {{3, 2}}, .attrs = {{"dtype", to}}, .hi = 100});
    constexpr float kInf = std::numeric_limits<float>::infinity();
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    samples.push_back({.in = {Array::Vector<float>(
                           {0.0f, -0.5f, 1.9f, -1.9f, 300, -300, 3e9f, -3e9f,
                            1e20f, -1e20f, kInf, -kInf, kNan})},
                       .attrs = {{"dtype", to}}});
  }
  samples.push_back({.in = {Shape()}, .attrs = {{"dtype", DType::kF32}}});
  samples.push_back({.in = {{0, 2}}, .attrs = {{"dtype", DType::kI32}}});
  samples.push_back({.in = {{131}}, .attrs = {{"dtype", DType::kF16}}});
  samples.push_back({.in = {{1031}},
                     .attrs = {{"dtype", DType::kI16}},
                     .only = {DType::kF32, DType::kU32}});
  return samples;
}

}  // namespace

SL_OP(Cast)
    .doc(
        "x as another type. Floats beyond an integer type go to its nearest "
        "end and NaN to 0; integers wrap; complex numbers give their real "
        "part; all but zero is true.")
    .input("x: T")
    .output("y: dtype")
    .types("T", kPlain)
    .types("dtype", kPlain)
    .attr("dtype", AttrKind::kDType, "The type of the result.")
    .grad([](GradContext& g) { g.set_dx(0, g.cast(g.dy(), g.in(0).dtype())); })
    .elementwise(Pick)
    .simplify("Cast(x) to x's own type = x",
              [](SimplifyContext& s) {
                return s.out_dtype() == s.in(0).dtype() && s.becomes(s.in(0));
              })
    .role(Role::kCast)
    .linear(Linear::kInFirst)
    .reference(Reference)
    .samples(Samples());

}  // namespace sluice
