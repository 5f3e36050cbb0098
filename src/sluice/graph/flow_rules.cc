#include "sluice/graph/flow_rules.h"

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"

namespace sluice {

Result<size_t> ChosenRegion(const Node& branch, const Array& chooser) {
  const AttrValue* has_default = branch.attrs().find("has_default");
  Result<size_t> chosen = BranchIndex(chooser, branch.regions().size(),
                                      has_default && has_default->get<bool>());
  if (chosen.ok()) return chosen;
  return Status(chosen.status().code(),
                StrCat("[", branch.op().name, "] ", chosen.status().message()));
}

Status InIteration(const Status& status, const Node& loop, int64_t iteration) {
  if (status.ok()) return status;
  return status.WithLine(
      StrCat("in iteration ", iteration, " of the loop ", NodeLine(loop)));
}

Status InCall(const Status& status, const Node& call) {
  if (status.ok()) return status;
  // Infinite recursion would add a thousand lines; a few are enough.
  constexpr int kMostLines = 8;
  constexpr std::string_view kMark = "in the call ", kMore = "in more calls";
  int lines = 0;
  for (size_t at = status.message().find(kMark); at != std::string::npos;
       at = status.message().find(kMark, at + 1)) {
    ++lines;
  }
  if (lines < kMostLines) {
    return status.WithLine(StrCat(kMark, NodeLine(call)));
  }
  bool said = status.message().find(kMore) != std::string::npos;
  return said ? status : status.WithLine(kMore);
}

Status CallsTooDeep(std::string_view what, int most) {
  std::string_view more =
      most < kMaxCallDepth ? ", or to capture it: a graph may go deeper" : "";
  return ResourceExhausted(
      StrCat("[", what, "] more than ", most,
             " calls inside one another; wanted a recursion that ends", more));
}

}  // namespace sluice
