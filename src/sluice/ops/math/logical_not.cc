#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"
#include "sluice/op/simplify_context.h"

namespace sluice {
namespace {

struct LogicalNotFn {
  static bool Apply(bool x) { return !x; }
};

}  // namespace

SL_OP(LogicalNot)
    .doc("True where x is false.")
    .input("x: bool")
    .output("y: bool")
    .elementwise(unary_block<LogicalNotFn, BoolTypes>)
    .simplify("not not x = x", DropTwice)
    .role(Role::kNot)
    .reference([](double x) -> double { return x == 0; })
    .samples(UnarySamples(0, 1, false));

}  // namespace sluice
