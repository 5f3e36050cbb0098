// Frame rules: what every executor must agree on about raw frames (Enter, Exit,
// Switch, ...): what a frame is keyed by and the words of the errors. Plain
// functions, thread safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

// Of an Enter: the name all entrances of its loop share, and what random
// numbers of the frame are keyed by.
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
// The error with the lines "in iteration 5 of frame "inner"", one for each.
Status InFrames(const Status& status,
                std::span<const FramePlace> innermost_first);

// What killed a value: a Switch that sent its data the other way. Of several
// it is the one found by going from the value to the first dead operand of its
// node (inputs in order, then controls), and so on, to a Switch whose own
// operands are alive; so every run names the same one.
struct Death {
  const Node* decider = nullptr;
  bool pred = false;
  std::string place;  // PlaceText of where it decided
};
// A fetched value that is dead in this run.
Status DeadFetch(const Value& fetch, const Death& death);
// A fetched value that exists once for every iteration of a frame.
Status FetchInFrame(const Value& fetch, std::string_view frame);

// A node that has got some of its operands and waits for others.
struct WaitingNode {
  const Node* node = nullptr;
  std::string place;                 // PlaceText
  std::vector<std::string> missing;  // "b = \"c\"", "control \"init\""
};
// Nothing is left to run and `what` ("fetch \"y\"") has not come. The first
// few of `waiting` are named, in the order given.
Status CannotGoOn(std::string_view what, std::span<const WaitingNode> waiting);

}  // namespace sluice
