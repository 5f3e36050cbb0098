#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct GreaterEqualFn {
  template <class C>
  static bool Apply(C a, C b) {
    return a >= b;
  }
};

}  // namespace

SL_OP(GreaterEqual)
    .doc("a >= b, elementwise; false when either is NaN.")
    .input("a: T")
    .input("b: T")
    .output("y: bool")
    .types("T", kReals)
    .no_grad("it compares")
    .elementwise(compare_block<GreaterEqualFn>)
    .role(Role::kGreaterEqual)
    .reference([](double a, double b) -> double { return a >= b; })
    .samples(BinarySamples())
    .rejects(BinaryRejects("GreaterEqual"));

}  // namespace sluice
