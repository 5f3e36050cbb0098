#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct LogicalOrFn {
  static bool Apply(bool a, bool b) { return a | b; }
};

}  // namespace

SL_OP(LogicalOr)
    .doc("Either true, elementwise with broadcasting.")
    .input("a: bool")
    .input("b: bool")
    .output("y: bool")
    .elementwise(binary_block<LogicalOrFn, BoolTypes>)
    .commutative()
    .associative()
    .role(Role::kOr)
    .reference([](double a, double b) -> double { return a != 0 || b != 0; })
    .samples(BinarySamples(0, 1, false))
    .rejects(BinaryRejects("LogicalOr", DType::kBool));

}  // namespace sluice
