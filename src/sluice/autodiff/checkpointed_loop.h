// CheckpointedLoop: builds the gradient of a loop with checkpoints
// (loop_checkpoints.h): the parts common to both variants, without a budget
// (loop_checkpoints.cc) and with one (loop_budget.cc).
//
// Lives for one call of Gradients, whose caller holds the graph's lock.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sluice/autodiff/flow_back.h"
#include "sluice/autodiff/forward_checkpoints.h"
#include "sluice/autodiff/repeat_loop.h"

namespace sluice {

class CheckpointedLoop {
 public:
  explicit CheckpointedLoop(const RegionGradient& at)
      : at_(at),
        graph_(at.graph),
        loop_(at.node),
        again_(at.graph, at.node),
        budget_(at.node.attrs().get<int64_t>("budget")) {}

  Status Run();

 private:
  Result<Value> Call(Region& region, std::string_view op,
                     std::vector<Value> inputs, const Attrs& attrs = {});
  Result<Value> Number(Region& region, int64_t n) {
    return Call(region, "Const", {}, {{"value", Array::Scalar<int64_t>(n)}});
  }

  // Starts the backward loop: it carries the number of remaining iterations and
  // the gradients of the values that were carried at that point.
  Status Begin(Value trips);

  // Adds placeholders for the values carried at a checkpoint, until it is known
  // which of them must be kept.
  Status AddStandIns(Region& region);

  // Replaces the needed placeholders by element `number` of the lists; the
  // others by the loop's initial value, because any value will do.
  Status ReplaceStandIns(Region& region, const std::vector<bool>& needed,
                         std::span<const Value> lists, Value number);

  // The gradient of one segment of iterations, given the gradients of the
  // values carried at its end.
  struct Stretch {
    Node* forward = nullptr;
    std::vector<Value> carried;   // of active values, at its start
    std::vector<Value> captured;  // of captures; empty where no gradient flows
  };
  Result<Stretch> Differentiate(Region& region, std::span<const Value> starts,
                                Value first, Value trips);

  // Carries one more gradient for each capture that receives one.
  Status CarryCaptures(const Stretch& stretch);
  // Whether the node was added after the backward loop.
  bool IsNew(const Node& node) const { return node.id() > back_->id(); }

  // The sum so far plus this segment's gradient, for each capture.
  Result<std::vector<Value>> Sums(Region& region, const Stretch& stretch);

  // "recompute": the segment from the last checkpoint to the end.
  Status LastStretch(Region& body, ForwardCheckpoints& forward);

  // With a budget: the schedule is decided at run time (CheckpointWalk). Each
  // backward iteration recomputes some iterations from a checkpoint, then
  // either stores another checkpoint or computes the gradient of the rest.
  Status Walk(Region& body, ForwardCheckpoints& forward);

  // Sets the results of both branches of the choice, and of the body, which
  // also carries the positions of checkpoints.
  void Close(Region& body, Node& choose, int at, Value positions,
             std::vector<Value> then, std::vector<Value> otherwise);

  // The largest number of bytes that an iteration has kept; 0: not yet known.
  Result<Value> PerTrip(Region& region, Node& repeated, Value trips,
                        Value before);

  // Adds an op before the backward loop.
  Result<Value> Before(Region& region, std::string_view op,
                       std::vector<Value> inputs, const Attrs& attrs = {});
  Result<Value> NumberBefore(int64_t n);

  const RegionGradient& at_;
  Graph& graph_;
  Node& loop_;
  const LoopToRepeat again_;
  const int64_t budget_;
  Node* back_ = nullptr;
  std::vector<int> active_;
  std::vector<Value> captures_, flowing_;
  size_t first_flowing_ = 0;  // index among the backward loop's carried values
  std::vector<Value> stand_ins_;
};

}  // namespace sluice
