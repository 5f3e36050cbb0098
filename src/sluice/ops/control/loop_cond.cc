// LoopCond: the predicate of a loop.
#include "sluice/op/record.h"

namespace sluice {

SL_OP(LoopCond)
    .doc("The predicate of its frame; there is one in each loop.")
    .input("pred: bool")
    .output("y: bool")
    .shape(shapes::same_as_first)
    .flow(Flow::kLoopCond);

}  // namespace sluice
