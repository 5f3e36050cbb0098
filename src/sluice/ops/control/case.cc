// Case: one of several regions, chosen by number.
#include "sluice/op/record.h"

namespace sluice {

SL_OP(Case)
    .doc(
        "Runs the region of number `index`; its results are the results of "
        "that one.")
    .input("index: T")
    .output("ys: dtypes*")
    .types("T", kIndices)
    .attr("dtypes", AttrKind::kDTypes, "Of the results.")
    .attr("has_default", false,
          "The last region runs for an index that is out of range, which is "
          "an error otherwise.")
    .region("branch*")
    .shape(shapes::unknown)
    .flow(Flow::kBranch);

}  // namespace sluice
