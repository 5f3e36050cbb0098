// Exit: out of a loop.
#include "sluice/op/record.h"

namespace sluice {

SL_OP(Exit)
    .doc("Brings x out of its frame, to where the frame was entered.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnything)
    .shape(shapes::same_as_first)
    .flow(Flow::kExit);

}  // namespace sluice
