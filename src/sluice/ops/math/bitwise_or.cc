#include "sluice/kernels/cpu/bit_types.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct BitwiseOrFn {
  template <class C>
  static C Apply(C a, C b) {
    return Wrap<C>(ToWrap(a) | ToWrap(b));
  }
};

}  // namespace

SL_OP(BitwiseOr)
    .doc("The bits set in one or both a and b, elementwise with broadcasting.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kBits)
    .elementwise(binary_block<BitwiseOrFn, BitTypes>)
    .commutative()
    .associative()
    .reference([](double a, double b) {
      return static_cast<double>(static_cast<int64_t>(a) |
                                 static_cast<int64_t>(b));
    })
    .samples(BinarySamples(-9, 9, /*specials=*/false))
    .rejects(BinaryRejects("BitwiseOr", DType::kI32));

}  // namespace sluice
