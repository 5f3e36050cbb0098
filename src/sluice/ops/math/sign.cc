#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/record.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct SignFn {
  template <class C>
  static C Apply(C x) {
    C sign = static_cast<C>((x > 0) - (x < 0));
    return x != x ? x : sign;
  }
};

}  // namespace

SL_OP_OF(Sign, UnaryFunction)
    .doc("-1, 0 or 1 by the sign of x, elementwise; NaN stays NaN.")
    .types("T", kReals)
    .no_grad("it is constant but for its jump at 0")
    .elementwise(unary_block<SignFn, RealTypes>)
    .reference([](double x) {
      return x != x ? x : x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0;
    })
    .samples(UnarySamples());
SL_FACE(Sign).method().keeps({DType::kBool});

}  // namespace sluice
