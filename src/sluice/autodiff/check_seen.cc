#include "sluice/autodiff/check_seen.h"

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"

namespace sluice {

namespace {

Status Check(const Region& here, std::span<const Value> values,
             const char* what) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Region* inside = values[i].node->region();
    if (inside->Encloses(&here)) continue;
    // The outermost of those that `here` is not in.
    while (inside->parent() && !inside->parent()->Encloses(&here)) {
      inside = inside->parent();
    }
    const Node& owner = *inside->owner();
    const char* kind = owner.op().flow == Flow::kLoop     ? "loop"
                       : owner.op().flow == Flow::kBranch ? "conditional"
                                                          : "function";
    return InvalidArgument(
               StrCat("gradients: ", what, "[", i, "] (", values[i].ToString(),
                      ") is inside a ", kind,
                      " and gradients are asked for outside of it; wanted what "
                      "the ",
                      kind, " returns, or gradients taken inside"))
        .WithLine(NodeLine(*values[i].node))
        .WithLine(StrCat("inside the ", kind, " ", NodeLine(owner)));
  }
  return OkStatus();
}

}  // namespace

Status CheckSeen(const Region& here, std::span<const Value> ys,
                 std::span<const Value> xs) {
  SL_RETURN_IF_ERROR(Check(here, ys, "ys"));
  return Check(here, xs, "xs");
}

}  // namespace sluice
