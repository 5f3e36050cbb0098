// If: one of two regions, chosen at run time. The regions take no arguments:
// they capture values of the enclosing regions, and only the region that runs
// has effects.
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
