// Enter: into a loop.
#include "sluice/op/record.h"

namespace sluice {

SL_OP(Enter)
    .doc(
        "Brings x into iteration 0 of the frame of that name; a constant one "
        "into all iterations.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnything)
    .attr("frame", AttrKind::kString, "Equal for all entrances of a loop.")
    .attr("constant", false, "x is the same in all iterations.")
    .attr("parallel", 10,
          "Iterations that may run at once; no result depends on it.")
    .between(1, 1 << 20)
    .shape(shapes::same_as_first)
    .flow(Flow::kEnter);

}  // namespace sluice
