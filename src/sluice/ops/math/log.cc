#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct LogFn {
  template <class C>
  static C Apply(C x) {
    return vmath::Log(x);
  }
};

}  // namespace

SL_OP(Log)
    .doc("The natural logarithm, elementwise; -inf at 0, NaN below.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(unary_block<LogFn>)
    .max_ulp(1)
    .reference([](double x) { return std::log(x); })
    .samples(UnarySamples(0.01, 20))
    .rejects(UnaryRejects("Log"));

}  // namespace sluice
