// Equal, NotEqual, Greater, GreaterEqual, Less and LessEqual.
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/record.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

struct EqualFn {
  template <class C>
  static bool Apply(C a, C b) {
    return a == b;
  }
};

struct NotEqualFn {
  template <class C>
  static bool Apply(C a, C b) {
    return a != b;
  }
};

struct GreaterFn {
  template <class C>
  static bool Apply(C a, C b) {
    return a > b;
  }
};

struct GreaterEqualFn {
  template <class C>
  static bool Apply(C a, C b) {
    return a >= b;
  }
};

struct LessFn {
  template <class C>
  static bool Apply(C a, C b) {
    return a < b;
  }
};

struct LessEqualFn {
  template <class C>
  static bool Apply(C a, C b) {
    return a <= b;
  }
};

OpDefinition& Compare(OpDefinition&& op, std::string_view name) {
  return op.input("a: T")
      .input("b: T")
      .output("y: bool")
      .no_grad("it compares")
      .samples(BinarySamples())
      .rejects(BinaryRejects(name));
}

}  // namespace

SL_OP_OF(Equal, Compare)
    .doc("a == b, elementwise; NaN equals nothing.")
    .types("T", kPlain)
    .elementwise(compare_block<EqualFn, PlainTypes>)
    .commutative()
    .reference([](double a, double b) -> double { return a == b; });
SL_FACE(Equal).method();

SL_OP_OF(NotEqual, Compare)
    .doc("a != b, elementwise; NaN differs from everything.")
    .types("T", kPlain)
    .elementwise(compare_block<NotEqualFn, PlainTypes>)
    .commutative()
    .reference([](double a, double b) -> double { return a != b; });
SL_FACE(NotEqual).method();

SL_OP_OF(Greater, Compare)
    .doc("a > b, elementwise; false when either is NaN.")
    .types("T", kReals)
    .elementwise(compare_block<GreaterFn>)
    .role(Role::kGreater)
    .reference([](double a, double b) -> double { return a > b; });
SL_FACE(Greater).method();

SL_OP_OF(GreaterEqual, Compare)
    .doc("a >= b, elementwise; false when either is NaN.")
    .types("T", kReals)
    .elementwise(compare_block<GreaterEqualFn>)
    .role(Role::kGreaterEqual)
    .reference([](double a, double b) -> double { return a >= b; });
SL_FACE(GreaterEqual).method();

SL_OP_OF(Less, Compare)
    .doc("a < b, elementwise; false when either is NaN.")
    .types("T", kReals)
    .elementwise(compare_block<LessFn>)
    .role(Role::kLess)
    .reference([](double a, double b) -> double { return a < b; });
SL_FACE(Less).method();

SL_OP_OF(LessEqual, Compare)
    .doc("a <= b, elementwise; false when either is NaN.")
    .types("T", kReals)
    .elementwise(compare_block<LessEqualFn>)
    .role(Role::kLessEqual)
    .reference([](double a, double b) -> double { return a <= b; });
SL_FACE(LessEqual).method();

}  // namespace sluice
