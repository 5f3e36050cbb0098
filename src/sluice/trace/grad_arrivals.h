// GradArrivals: in which runs gradients of some values reach the calls and
// leaves they depend on. In the graph, the gradient of a branch not taken is
// zeros, so gradients flow in every run. In imperative code nothing flows
// there.
//
// Lives for one backward run, or for one inspection of the results of a
// recording or region. The boolean nodes it needs are added to the open region.
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
  // Considers only calls recorded since `since` values had been made.
  GradArrivals(Capture& capture, std::span<const EagerRef> roots,
               uint64_t since);
  // That of the current backward run; null if there is no run, or if its
  // gradients flow the same way in every run.
  static GradArrivals* OfRun(Capture& capture);

  // Always, if nothing else is known.
  FlowWhen At(const TapeNode& call, int output) const;
  // The flow where the value was produced; neither field is set if nothing
  // arrives.
  FlowWhen Of(EagerValue& value) const;
  // Throws where hooks, retain_grad() or a user's backward would see a gradient
  // in some runs only. If only loops decide this, runs in which such a loop has
  // no iteration fail instead. `kept`: retain_grad() counts as well.
  void CheckSeen(bool kept);
  void CheckSeen(const GraphTapeNode& call, bool kept = true);
  // The same for code at `line`.
  static void RequireMet(Capture& capture, const FlowWhen& when,
                         const SourceLine& line, std::string_view what);
  // Whether all gradients flow the same way in every run.
  bool all_known() const { return when_.empty(); }

 private:
  using Key = std::tuple<const TapeNode*, int, const EagerValue*>;
  void Walk();
  bool Tells() const;
  void CheckIterations(const GraphTapeNode& loop) const;

  Capture& capture_;
  const std::vector<EagerRef> roots_;
  const uint64_t since_;
  std::map<Key, FlowWhen> when_;  // empty: nothing depends on the run
};

}  // namespace sluice
