// Frame rules: behaviour of raw frames (Enter, Exit, Switch, ...) that is
// common to all executors: the key of a frame and the wording of errors. Plain
// functions, thread safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

// For an Enter: the name that all entrances of its loop share, and the key of
// the frame's random numbers.
const std::string& FrameName(const Node& enter);
uint64_t FrameKey(const Node& enter);

// One iteration of one frame.
struct FramePlace {
  std::string frame;
  int64_t iteration = 0;
};
// "iteration 5 of frame "inner", iteration 2 of frame "outer""; innermost
// first. Empty outside of frames.
std::string PlaceText(std::span<const FramePlace> innermost_first);
// The error with a line "in iteration 5 of frame "inner"" for each.
Status InFrames(const Status& status,
                std::span<const FramePlace> innermost_first);

// Why a value is dead: a Switch that sent its data the other way. If there are
// several, it is the one found by following from the value the first dead
// operand of its node (inputs in order, then controls), and so on, to a Switch
// whose own operands are alive; so every run names the same one.
struct Death {
  const Node* decider = nullptr;
  bool pred = false;
  std::string place;  // PlaceText of the deciding Switch
};
// The error for a fetched value that is dead in this run.
Status DeadFetch(const Value& fetch, const Death& death);
// The error for a fetched value that exists once for every iteration of a
// frame.
Status FetchInFrame(const Value& fetch, std::string_view frame);

// A node that has received some of its operands and waits for others.
struct WaitingNode {
  const Node* node = nullptr;
  std::string place;                 // PlaceText
  std::vector<std::string> missing;  // "b = \"c\"", "control \"init\""
};
// The error if nothing is left to run and `what` ("fetch \"y\"") has not
// arrived. Names the first few of `waiting`, in the given order.
Status CannotGoOn(std::string_view what, std::span<const WaitingNode> waiting);

}  // namespace sluice
