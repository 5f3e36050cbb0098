#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct LogicalAndFn {
  static bool Apply(bool a, bool b) { return a & b; }
};

}  // namespace

SL_OP(LogicalAnd)
    .doc("Both true, elementwise with broadcasting.")
    .input("a: bool")
    .input("b: bool")
    .output("y: bool")
    .elementwise(binary_block<LogicalAndFn, BoolTypes>)
    .commutative()
    .associative()
    .role(Role::kAnd)
    .reference([](double a, double b) -> double { return a != 0 && b != 0; })
    .samples(BinarySamples(0, 1, false))
    .rejects(BinaryRejects("LogicalAnd", DType::kBool));

}  // namespace sluice
