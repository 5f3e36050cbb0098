#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct ErfcFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Erfc(x);
  }
};

}  // namespace

SL_OP(Erfc)
    .doc(
        "1 - erf(x), elementwise, to full precision also where erf(x) is "
        "nearly 1.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(long_block<ErfcFn>)
    .max_ulp(6)
    .reference([](double x) { return std::erfc(x); })
    .samples(UnarySamples(-4, 9))
    .rejects(UnaryRejects("Erfc"));

}  // namespace sluice
