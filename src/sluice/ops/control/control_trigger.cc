// ControlTrigger: waits, and continues even if its controls are dead.
#include "sluice/op/record.h"

namespace sluice {

SL_OP(ControlTrigger)
    .doc(
        "Waits for its control inputs, dead or alive; is itself always "
        "alive.")
    .shape(shapes::none)
    .flow(Flow::kTrigger);

}  // namespace sluice
