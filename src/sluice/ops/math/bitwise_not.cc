#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct BitwiseNotFn {
  template <class C>
  static C Apply(C x) {
    return Wrap<C>(~ToWrap(x));
  }
};

}  // namespace

SL_OP(BitwiseNot)
    .doc("Every bit of x flipped, elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kInts)
    .elementwise(unary_block<BitwiseNotFn, IntTypes>)
    .reference([](double x) -> double {
      return static_cast<double>(~static_cast<int64_t>(x));
    })
    .samples(UnarySamples(-9, 9, /*specials=*/false))
    .rejects(UnaryRejects("BitwiseNot"));

}  // namespace sluice
