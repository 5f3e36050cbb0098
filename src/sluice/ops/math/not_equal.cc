#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct NotEqualFn {
  template <class C>
  static bool Apply(C a, C b) {
    return a != b;
  }
};

}  // namespace

SL_OP(NotEqual)
    .doc("a != b, elementwise; NaN differs from everything.")
    .input("a: T")
    .input("b: T")
    .output("y: bool")
    .types("T", kPlain)
    .no_grad("it compares")
    .elementwise(compare_block<NotEqualFn, PlainTypes>)
    .commutative()
    .reference([](double a, double b) -> double { return a != b; })
    .samples(BinarySamples())
    .rejects(BinaryRejects("NotEqual"));

}  // namespace sluice
