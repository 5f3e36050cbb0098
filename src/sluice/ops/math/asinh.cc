#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct AsinhFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Asinh(x);
  }
};

}  // namespace

SL_OP(Asinh)
    .doc("The inverse of sinh, elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(long_block<AsinhFn>)
    .max_ulp(2)
    .reference([](double x) { return std::asinh(x); })
    .samples(UnarySamples(-20, 20))
    .rejects(UnaryRejects("Asinh"));

}  // namespace sluice
