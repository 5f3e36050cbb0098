#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/record.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct HeavisideFn {
  template <class C>
  static C Apply(C a, C b) {
    C y = a < 0 ? C(0) : a > 0 ? C(1) : a;
    return a == 0 ? b : y;
  }
};

}  // namespace

SL_OP_OF(Heaviside, BinaryFunction)
    .doc(
        "0 where a is negative, 1 where it is positive, b where it is 0; NaN "
        "where it is NaN. Elementwise with broadcasting.")
    .types("T", kReals)
    .no_grad("it is constant but for its jump at 0")
    .elementwise(binary_block<HeavisideFn>)
    .reference([](double a, double b) {
      return a < 0 ? 0 : a > 0 ? 1 : a == 0 ? b : a;
    })
    .samples(BinarySamples());
SL_FACE(Heaviside).keeps({DType::kBool});

}  // namespace sluice
