#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

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

}  // namespace

SL_OP(Round)
    .doc("The nearest integer, elementwise; halves go to the even one.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .no_grad("it rounds")
    .elementwise(unary_block<RoundFn>)
    .reference([](double x) {
      double down = std::floor(x), up = std::ceil(x);
      if (x - down != up - x) return x - down < up - x ? down : up;
      return std::fmod(down, 2) == 0 ? down : up;
    })
    .samples(Samples())
    .rejects(UnaryRejects("Round"));

}  // namespace sluice
