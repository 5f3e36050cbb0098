#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct LessEqualFn {
  template <class C>
  static bool Apply(C a, C b) {
    return a <= b;
  }
};

}  // namespace

SL_OP(LessEqual)
    .doc("a <= b, elementwise; false when either is NaN.")
    .input("a: T")
    .input("b: T")
    .output("y: bool")
    .types("T", kReals)
    .no_grad("it compares")
    .elementwise(compare_block<LessEqualFn>)
    .role(Role::kLessEqual)
    .reference([](double a, double b) -> double { return a <= b; })
    .samples(BinarySamples())
    .rejects(BinaryRejects("LessEqual"));

}  // namespace sluice
