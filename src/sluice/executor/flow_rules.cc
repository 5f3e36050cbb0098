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
  // A recursion without end would add a thousand lines.
  constexpr int kMaxLines = 8;
  constexpr std::string_view kLine = "\n  in the call ";
  int lines = 0;
  for (size_t at = 0;
       (at = status.message().find(kLine, at)) != std::string::npos;
       at += kLine.size()) {
    ++lines;
  }
  if (status.ok() || lines >= kMaxLines) return status;
  return status.WithLine(StrCat("in the call ", NodeLine(call)));
}

Status CallsTooDeep(std::string_view what) {
  return ResourceExhausted(
      StrCat("[", what, "] more than ", kMaxCallDepth,
             " calls inside one another; wanted a recursion that ends"));
}

}  // namespace sluice
