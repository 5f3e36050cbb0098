#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct ExpFn {
  template <class C>
  static C Apply(C x) {
    return vmath::Exp(x);
  }
};

}  // namespace

SL_OP(Exp)
    .doc("exp(x), elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(unary_block<ExpFn>)
    .max_ulp(1.01)
    .reference([](double x) { return std::exp(x); })
    .samples(UnarySamples(-20, 20))
    .rejects(UnaryRejects("Exp"));

}  // namespace sluice
