// While: a loop. Both regions take the carried values as arguments; the body
// returns those of the next iteration. Types are carried unchanged, sizes may
// change between iterations.
#include "sluice/op/record.h"

namespace sluice {

SL_OP(While)
    .doc(
        "Runs `body` on what it gave last, first on xs, as long as `cond` "
        "says so; the results are the values carried last.")
    .input("xs: any*")
    .output("ys: dtypes*")
    .attr("dtypes", AttrKind::kDTypes, "Of the carried values.")
    .attr("parallel", 10,
          "Iterations that may run at once; no result depends on it.")
    .between(1, 1 << 20)
    .attr("maximum", -1, "Iterations at most; -1: no limit.")
    .between(-1, int64_t{1} << 62)
    .attr("save", "device",
          "What is kept for the gradient: everything it reads, the same in the "
          "host's memory, what is carried now and then, or as much of both as "
          "fits in `budget`. No result depends on it.")
    .one_of({"device", "host", "recompute", "budget"})
    .attr(
        "budget", 0,
        "In bytes, with save = \"budget\"; with \"host\": what the device may "
        "have in use before values leave it, 0 for half of its memory.")
    .between(0, int64_t{1} << 62)
    .attr("repeats", "",
          "The loop some of whose iterations this one computes again.")
    .region("cond")
    .region("body")
    .shape(shapes::unknown)
    .flow(Flow::kLoop);

}  // namespace sluice
