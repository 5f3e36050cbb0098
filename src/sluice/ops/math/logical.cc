// LogicalAnd, LogicalOr and LogicalXor.
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

struct LogicalAndFn {
  static bool Apply(bool a, bool b) { return a & b; }
};

struct LogicalOrFn {
  static bool Apply(bool a, bool b) { return a | b; }
};

struct LogicalXorFn {
  static bool Apply(bool a, bool b) { return a != b; }
};

OpDefinition& LogicalPair(OpDefinition&& op, std::string_view name) {
  return op.input("a: bool")
      .input("b: bool")
      .output("y: bool")
      .commutative()
      .associative()
      .samples(BinarySamples(0, 1, false))
      .rejects(BinaryRejects(name, DType::kBool));
}

}  // namespace

SL_OP_OF(LogicalAnd, LogicalPair)
    .doc("Both true, elementwise with broadcasting.")
    .elementwise(binary_block<LogicalAndFn, BoolTypes>)
    .role(Role::kAnd)
    .reference([](double a, double b) -> double { return a != 0 && b != 0; });

SL_OP_OF(LogicalOr, LogicalPair)
    .doc("Either true, elementwise with broadcasting.")
    .elementwise(binary_block<LogicalOrFn, BoolTypes>)
    .role(Role::kOr)
    .reference([](double a, double b) -> double { return a != 0 || b != 0; });

SL_OP_OF(LogicalXor, LogicalPair)
    .doc("Exactly one true, elementwise with broadcasting.")
    .elementwise(binary_block<LogicalXorFn, BoolTypes>)
    .reference([](double a, double b) -> double {
      return (a != 0) != (b != 0);
    });

}  // namespace sluice
