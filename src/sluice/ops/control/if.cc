// If: one of two regions, chosen when it runs. The regions take no arguments:
// they read values of the regions around them, and only the one that runs has
// effects.
#include "sluice/op/record.h"

namespace sluice {

SL_OP(If)
    .doc(
        "Runs the region `then` when pred is true, else the region `else`; "
        "its results are the results of that one.")
    .input("pred: bool")
    .output("ys: dtypes*")
    .attr("dtypes", AttrKind::kDTypes, "Of the results.")
    .region("then")
    .region("else")
    .shape(shapes::unknown)
    .flow(Flow::kBranch);

}  // namespace sluice
