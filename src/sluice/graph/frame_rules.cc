#include "sluice/graph/frame_rules.h"

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"

namespace sluice {

const std::string& FrameName(const Node& enter) {
  return enter.attrs().get<std::string>("frame");
}

uint64_t FrameKey(const Node& enter) { return NodeKey(FrameName(enter)); }

std::string PlaceText(std::span<const FramePlace> innermost_first) {
  std::string text;
  for (const FramePlace& place : innermost_first) {
    StrAppend(text, text.empty() ? "" : ", ", "iteration ", place.iteration,
              " of frame \"", place.frame, "\"");
  }
  return text;
}

Status InFrames(const Status& status,
                std::span<const FramePlace> innermost_first) {
  Status out = status;
  for (const FramePlace& place : innermost_first) {
    out = out.WithLine(StrCat("in ", PlaceText({&place, 1})));
  }
  return out;
}

Status DeadFetch(const Value& fetch, const Death& death) {
  const Node& decider = *death.decider;
  std::string_view way = death.pred ? "true" : "false";
  std::string where = death.place.empty() ? "" : StrCat(" in ", death.place);
  return InvalidArgument(
             StrCat("fetch \"", fetch.ToString(), "\" is dead: predicate \"",
                    decider.input(1).ToString(), "\" of ", decider.op().name,
                    " \"", decider.name(), "\" is ", way, where,
                    ", and the fetch is computed only when it is ",
                    death.pred ? "false" : "true",
                    "; wanted a value that is computed either way, such as "
                    "the output of a Merge"))
      .WithLine(NodeLine(*fetch.node))
      .WithLine(StrCat("decided ", NodeLine(decider)));
}

Status FetchInFrame(const Value& fetch, std::string_view frame) {
  return InvalidArgument(
             StrCat("fetch \"", fetch.ToString(), "\" lies inside frame \"",
                    frame,
                    "\"; wanted a value outside of loops, such as the "
                    "output of an Exit"))
      .WithLine(NodeLine(*fetch.node));
}

Status CannotGoOn(std::string_view what, std::span<const WaitingNode> waiting) {
  constexpr size_t kShown = 8;
  Status status = FailedPrecondition(
      StrCat("the step cannot go on: nothing is left to run, and ", what,
             " has not come"));
  for (size_t i = 0; i < waiting.size() && i < kShown; ++i) {
    const WaitingNode& w = waiting[i];
    std::string line = StrCat("[", w.node->op().name, "] waits for ");
    for (size_t k = 0; k < w.missing.size(); ++k) {
      StrAppend(line, k ? ", " : "", w.missing[k]);
    }
    if (!w.place.empty()) StrAppend(line, " in ", w.place);
    status = status.WithLine(StrCat(line, "  ", NodeLine(*w.node)));
  }
  if (waiting.size() > kShown) {
    status =
        status.WithLine(StrCat("and ", waiting.size() - kShown, " more wait"));
  }
  return status;
}

}  // namespace sluice
