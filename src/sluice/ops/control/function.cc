// Function: code that calls run by name, itself among them.
#include "sluice/op/record.h"

namespace sluice {

SL_OP(Function)
    .doc(
        "A function: calls of `f` run its region. It may read values around "
        "it and call itself.")
    .output("f: resource")
    .region("body")
    .shape(shapes::scalar)
    .flow(Flow::kFunction);

}  // namespace sluice
