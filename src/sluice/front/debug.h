// Debugging a run: the same graph, run node by node, with everything to be
// seen on the way.
//
//   sl::DebugOptions options;
//   options.watches = {"loss"};
//   options.breakpoints.push_back({.line = "model.cc:41",
//                                  .condition = [](const sl::DebugEvent& e) {
//                                    return has_nan(e.inputs[0]);
//                                  }});
//   sl::DebugResult result = sl::run_debug(session, {loss}, feeds, options);
//   sl::Array fifth = result.fetch("loss", {5});       // in iteration 5
//   sl::Array inner = result.fetch("gate", {2, 5});    // outer 2, inner 5
//
// Nodes run one at a time, on the calling thread, nothing is optimised away,
// and values, variables and random numbers are those of Session::run. Values
// inside of loops and branches, which no run can fetch, are seen in every
// iteration.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/front/session.h"

namespace sluice {

// An iteration of a loop (by its node's name) or of a raw frame, or a call.
struct DebugPlace {
  std::string name;
  int64_t iteration = 0;
  bool loop = true;  // not a call
};

// A node that is about to run, or has run.
struct DebugEvent {
  std::string node, op;            // "cell/MatMul", "MatMul"
  std::string line;                // "model.cc:41"
  std::vector<DebugPlace> places;  // outermost first
  std::vector<Array> inputs;       // before it runs
  std::vector<Array> outputs;      // after; an empty one is dead
  // "cell/MatMul = MatMul at model.cc:41, iteration 5 of "loop": f32[2] ..."
  std::string ToString() const;
};

enum class DebugAction { kGoOn, kStop };

// Stops before nodes that match all that is given.
struct Breakpoint {
  std::string node{}, op{};
  std::string line{};  // "model.cc:41"
  std::function<bool(const DebugEvent&)> condition{};
  // What to do there; without one the run stops.
  std::function<DebugAction(const DebugEvent&)> action{};
};

struct DebugOptions {
  std::vector<Breakpoint> breakpoints{};
  // Called after every node.
  std::function<DebugAction(const DebugEvent&)> on_step{};
  // Values to keep, in all iterations: "name" or "name:1".
  std::vector<std::string> watches{};
  size_t max_watched = 10000;  // of each; the first ones are kept
  // Lines of trace to write at most; what follows is counted.
  int64_t max_trace_lines = 0;
  // Time limit, cancellation and random numbers; the rest does not apply.
  RunOptions run{};
};

struct DebugResult {
  std::vector<Array> fetches;  // empty when it did not reach the end
  // Where a breakpoint or callback stopped it, or an error happened.
  std::optional<DebugEvent> stopped;
  std::string error;  // of the run; it is not thrown: see what led to it

  struct Seen {
    std::vector<DebugPlace> places;
    Array value;  // empty: dead
  };
  struct Watched {
    std::string name;
    std::vector<Seen> seen;
  };
  std::vector<Watched> watched;  // as DebugOptions::watches has them
  // What was seen of one of them; null when it was not watched.
  const std::vector<Seen>* seen(std::string_view name) const;

  // Every node that ran, under the iterations it ran in.
  std::string trace;

  // A watched value in those iterations of the loops around it, outermost
  // first. Throws when it was not watched, not computed there, or dead.
  const Array& fetch(std::string_view name,
                     const std::vector<int64_t>& iterations = {}) const;
};

// Throws when fetches, feeds or watches are wrong; see DebugResult::error.
DebugResult run_debug(Session& session, const std::vector<Fetch>& fetches,
                      const Feeds& feeds = {}, const DebugOptions& options = {},
                      const std::vector<Operation>& targets = {});

}  // namespace sluice
