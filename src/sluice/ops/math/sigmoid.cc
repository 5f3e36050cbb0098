#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct SigmoidFn {
  template <class C>
  static C Apply(C x) {
    return vmath::Sigmoid(x);
  }
};

}  // namespace

SL_OP(Sigmoid)
    .doc("1 / (1 + exp(-x)), elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(unary_block<SigmoidFn>)
    .max_ulp(3)
    .reference([](double x) { return 1 / (1 + std::exp(-x)); })
    .samples(UnarySamples(-20, 20))
    .rejects(UnaryRejects("Sigmoid"));

}  // namespace sluice
