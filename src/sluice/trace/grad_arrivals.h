// GradArrivals: in which runs gradients of some values arrive at the calls and
// leaves they lead to. The gradient of a branch is zeros where another way was
// taken, so that they flow on in every run. Imperatively, nothing does.
//
// Lives for one backward run, or for one look at the results of a recording or
// of a region; nodes that tell are added to the region that is open.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <tuple>

#include "sluice/trace/capture.h"
#include "sluice/trace/graph_tape.h"

namespace sluice {

class GradArrivals {
 public:
  // Of the calls recorded since so many values were made.
  GradArrivals(Capture& capture, std::span<const EagerRef> roots,
               uint64_t since);
  // Those of the backward run under way; null where there is none, or where
  // what flows flows in every run.
  static GradArrivals* OfRun(Capture& capture);

  // Always, where nothing else is known.
  FlowWhen At(const TapeNode& call, int output) const;
  // At where a value comes from; neither where nothing arrives.
  FlowWhen Of(EagerValue& value) const;
  // Throws where gradients may or may not arrive at what sees the difference:
  // hooks, retain_grad(), a backward of the user's. Where only loops have a say
  // in it, runs in which none goes round fail. `kept`: what retain_grad() keeps
  // counts.
  void CheckSeen(bool kept);
  void CheckSeen(const GraphTapeNode& call, bool kept = true);
  // The same of what is at `line`.
  static void RequireMet(Capture& capture, const FlowWhen& when,
                         const SourceLine& line, std::string_view what);
  // Whether all that flows flows in every run.
  bool all_known() const { return when_.empty(); }

 private:
  using Key = std::tuple<const TapeNode*, int, const EagerValue*>;
  void Walk();
  bool Tells() const;
  void CheckIterations(const GraphTapeNode& loop) const;

  Capture& capture_;
  const std::vector<EagerRef> roots_;
  const uint64_t since_;
  std::map<Key, FlowWhen> when_;  // empty: nothing is told
};

}  // namespace sluice
