// NextIteration: from one iteration of a loop to the next.
#include "sluice/op/record.h"

namespace sluice {

SL_OP(NextIteration)
    .doc("Brings x to the next iteration of its frame.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnything)
    .shape(shapes::same_as_first)
    .flow(Flow::kNextIteration);

}  // namespace sluice
