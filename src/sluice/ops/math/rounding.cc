// Ceil, Floor, Round and Trunc.
#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

struct CeilFn {
  template <class C>
  static C Apply(C x) {
    return std::ceil(x);
  }
};

struct FloorFn {
  template <class C>
  static C Apply(C x) {
    return std::floor(x);
  }
};

struct RoundFn {
  template <class C>
  static C Apply(C x) {
    return std::nearbyint(x);
  }
};

std::vector<Sample> Samples() {
  std::vector<Sample> samples = UnarySamples(-9, 9);
  samples.push_back({.in = {Array::Vector<float>(
                         {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 8388609})}});
  return samples;
}

struct TruncFn {
  template <class C>
  static C Apply(C x) {
    return std::trunc(x);
  }
};

OpDefinition& Rounding(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .output("y: T")
      .types("T", kFloats)
      .no_grad("it rounds")
      .rejects(UnaryRejects(name));
}

}  // namespace

SL_OP_OF(Ceil, Rounding)
    .doc("The smallest integer not below x, elementwise.")
    .elementwise(unary_block<CeilFn>)
    .reference([](double x) { return std::ceil(x); })
    .samples(UnarySamples(-9, 9));

SL_OP_OF(Floor, Rounding)
    .doc("The largest integer not above x, elementwise.")
    .elementwise(unary_block<FloorFn>)
    .reference([](double x) { return std::floor(x); })
    .samples(UnarySamples(-9, 9));

SL_OP_OF(Round, Rounding)
    .doc("The nearest integer, elementwise; halves go to the even one.")
    .elementwise(unary_block<RoundFn>)
    .reference([](double x) {
      double down = std::floor(x), up = std::ceil(x);
      if (x - down != up - x) return x - down < up - x ? down : up;
      return std::fmod(down, 2) == 0 ? down : up;
    })
    .samples(Samples());

SL_OP_OF(Trunc, Rounding)
    .doc("x without its fraction, elementwise: rounded towards 0.")
    .elementwise(unary_block<TruncFn>)
    .reference([](double x) { return std::trunc(x); })
    .samples(UnarySamples(-5, 5));

}  // namespace sluice
