#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct Exp2Fn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Exp2(x);
  }
};

}  // namespace

SL_OP(Exp2)
    .doc("2 to the power x, elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(long_block<Exp2Fn>)
    .max_ulp(1)
    .reference([](double x) { return std::exp2(x); })
    .samples(UnarySamples(-20, 20))
    .rejects(UnaryRejects("Exp2"));

}  // namespace sluice
