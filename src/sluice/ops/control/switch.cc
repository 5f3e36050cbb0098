// Switch: sends a value one of two ways; the other stays dead.
#include "sluice/op/record.h"

namespace sluice {

SL_OP(Switch)
    .doc(
        "Gives data to output when_true if pred is true, else to when_false; "
        "what reads the other output does not run.")
    .input("data: T")
    .input("pred: bool")
    .output("when_false: T")
    .output("when_true: T")
    .types("T", kAnything)
    .shape(shapes::same_as_first)
    .flow(Flow::kSwitch);

}  // namespace sluice
