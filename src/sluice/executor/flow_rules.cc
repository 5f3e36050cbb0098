#include "sluice/executor/flow_rules.h"

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"

namespace sluice {

Result<bool> PredicateValue(const Array& pred) {
  if (pred.dtype() != DType::kBool || pred.num_elements() != 1) {
    return InvalidArgument(StrCat("the predicate is ", pred.TypeText(),
                                  "; wanted a scalar of bool"));
  }
  return *pred.data<bool>();
}

Result<size_t> ChosenRegion(const Node& branch, const Array& chooser) {
  size_t count = branch.regions().size();
  if (branch.input(0).dtype() == DType::kBool) {
    Result<bool> pred = PredicateValue(chooser);
    if (!pred.ok()) {
      return InvalidArgument(
          StrCat("[", branch.op().name, "] ", pred.status().message()));
    }
    return *pred ? 0 : 1;
  }
  if (chooser.num_elements() != 1) {
    return InvalidArgument(StrCat("[", branch.op().name, "] the index is ",
                                  chooser.TypeText(), "; wanted a scalar"));
  }
  int64_t index = chooser.dtype() == DType::kI32 ? *chooser.data<int32_t>()
                                                 : *chooser.data<int64_t>();
  if (index >= 0 && index < static_cast<int64_t>(count)) {
    return static_cast<size_t>(index);
  }
  if (branch.attrs().get<bool>("has_default")) return count - 1;
  return OutOfRange(StrCat("[", branch.op().name, "] the index is ", index,
                           "; wanted one of the ", count, " branches, 0 to ",
                           count - 1));
}

Status InIteration(const Status& status, const Node& loop, int64_t iteration) {
  if (status.ok()) return status;
  return status.WithLine(
      StrCat("in iteration ", iteration, " of the loop ", NodeLine(loop)));
}

Status InCall(const Status& status, const Node& call) {
  if (status.ok()) return status;
  // A recursion without end has a thousand lines to tell; a few will do.
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

Status CallsTooDeep(std::string_view what) {
  return ResourceExhausted(
      StrCat("[", what, "] more than ", kMaxCallDepth,
             " calls inside one another; wanted a recursion that ends"));
}

}  // namespace sluice
