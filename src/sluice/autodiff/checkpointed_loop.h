// CheckpointedLoop: how the gradient of a loop with checkpoints is put together
// (loop_checkpoints.h): what both ways have in common, the one without a budget
// (loop_checkpoints.cc) and the one with (loop_budget.cc).
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

  // The backward loop as far as it is known: how many iterations are left, and
  // what flows into what was carried then.
  Status Begin(Value trips);

  // Stands for what was carried at a checkpoint, until it is known what of it
  // must be kept.
  Status AddStandIns(Region& region);

  // What is needed comes from the lists, `number` in each; else the loop's own
  // first value does as well as any.
  Status ReplaceStandIns(Region& region, const std::vector<bool>& needed,
                         std::span<const Value> lists, Value number);

  // The gradient of one stretch of iterations, given what flows into what is
  // carried at its end.
  struct Stretch {
    Node* forward = nullptr;
    std::vector<Value> carried;   // of active values at its beginning
    std::vector<Value> captured;  // of captures; no value where nothing flows
  };
  Result<Stretch> Differentiate(Region& region, std::span<const Value> starts,
                                Value first, Value trips);

  // One more carried gradient for each capture that something flows into.
  Status CarryCaptures(const Stretch& stretch);
  // Made since the backward loop was.
  bool IsNew(const Node& node) const { return node.id() > back_->id(); }

  // captured so far + what this stretch gives.
  Result<std::vector<Value>> Sums(Region& region, const Stretch& stretch);

  // "recompute": from the last checkpoint to the end of what is left.
  Status LastStretch(Region& body, ForwardCheckpoints& forward);

  // A budget: the way back is found as it goes (CheckpointWalk). Each time
  // round, from one of the checkpoints so many iterations on, and there either
  // one more checkpoint or the gradient of what is left.
  Status Walk(Region& body, ForwardCheckpoints& forward);

  // The results of both regions, of the choice, and of the body, which also
  // carries the positions.
  void Close(Region& body, Node& choose, int at, Value positions,
             std::vector<Value> then, std::vector<Value> otherwise);

  // The most that an iteration has been seen to keep, in bytes; 0 says that
  // none has been seen yet.
  Result<Value> PerTrip(Region& region, Node& repeated, Value trips,
                        Value before);

  // Above the backward loop.
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
  size_t first_flowing_ = 0;  // of the backward loop's carried values
  std::vector<Value> stand_ins_;
};

}  // namespace sluice
