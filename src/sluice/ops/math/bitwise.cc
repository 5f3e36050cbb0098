// BitwiseAnd, BitwiseOr and BitwiseXor.
#include "sluice/kernels/cpu/bit_types.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/record.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

struct BitwiseAndFn {
  template <class C>
  static C Apply(C a, C b) {
    return Wrap<C>(ToWrap(a) & ToWrap(b));
  }
};

struct BitwiseOrFn {
  template <class C>
  static C Apply(C a, C b) {
    return Wrap<C>(ToWrap(a) | ToWrap(b));
  }
};

struct BitwiseXorFn {
  template <class C>
  static C Apply(C a, C b) {
    return Wrap<C>(ToWrap(a) ^ ToWrap(b));
  }
};

OpDefinition& BitwisePair(OpDefinition&& op, std::string_view name) {
  return op.input("a: T")
      .input("b: T")
      .output("y: T")
      .types("T", kBits)
      .commutative()
      .associative()
      .samples(BinarySamples(-9, 9, /*specials=*/false))
      .rejects(BinaryRejects(name, DType::kI32));
}

}  // namespace

SL_OP_OF(BitwiseAnd, BitwisePair)
    .doc("The bits set in both a and b, elementwise with broadcasting.")
    .elementwise(binary_block<BitwiseAndFn, BitTypes>)
    .reference([](double a, double b) {
      return static_cast<double>(static_cast<int64_t>(a) &
                                 static_cast<int64_t>(b));
    });
SL_FACE(BitwiseAnd).method();

SL_OP_OF(BitwiseOr, BitwisePair)
    .doc("The bits set in one or both a and b, elementwise with broadcasting.")
    .elementwise(binary_block<BitwiseOrFn, BitTypes>)
    .reference([](double a, double b) {
      return static_cast<double>(static_cast<int64_t>(a) |
                                 static_cast<int64_t>(b));
    });
SL_FACE(BitwiseOr).method();

SL_OP_OF(BitwiseXor, BitwisePair)
    .doc("The bits set in exactly one a and b, elementwise with broadcasting.")
    .elementwise(binary_block<BitwiseXorFn, BitTypes>)
    .reference([](double a, double b) {
      return static_cast<double>(static_cast<int64_t>(a) ^
                                 static_cast<int64_t>(b));
    });
SL_FACE(BitwiseXor).method();

}  // namespace sluice
