// BatchContext: what a batching rule sees and says. A rule is given an op of
// code for one example, at least one of whose inputs has an axis of lanes in
// front, and names what its outputs are with that axis:
//
//   bool Softmax(BatchContext& c) {
//     if (c.rank(0) < 1) return false;            // lane by lane, then
//     c.set(0, c.Call("Softmax", {c.in(0)}, c.ShiftedAxis(c.rank(0))));
//     return true;
//   }
//
// Ranks and shapes a rule asks for are those of one example. A rule that cannot
// help with these inputs returns false; the op then runs lane by lane. Lives
// for one op; errors stick, as in the emitter it is.
#pragma once

#include <vector>

#include "sluice/batching/batch_scope.h"

namespace sluice {

class BatchContext : public Emitter {
 public:
  BatchContext(BatchScope& scope, const Node& node);

  const Node& node() const { return node_; }
  const Attrs& attrs() const { return node_.attrs(); }
  template <class T>
  const T& attr(std::string_view name) const {
    return node_.attrs().get<T>(name);
  }
  int num_inputs() const { return static_cast<int>(in_.size()); }
  bool batched(int i) const { return in_[static_cast<size_t>(i)].batched; }
  bool any_batched() const;
  // As it is; with an axis of lanes in any case.
  Value in(int i) const { return in_[static_cast<size_t>(i)].value; }
  Value full(int i) { return scope_.Full(in_[static_cast<size_t>(i)]); }
  Values all_full();
  // A list whose elements have lanes. REQUIRES: it can be one.
  Value together(int i) {
    return scope_.In(LaneForm::kTogether, in_[static_cast<size_t>(i)]);
  }
  Lanes lanes_of(int i) const { return in_[static_cast<size_t>(i)]; }
  // Of one example; rank -1 when unknown.
  const PartialShape& example(int i) const { return node_.input(i).shape(); }
  int rank(int i) const { return example(i).rank(); }
  // That of all inputs, -1 when they differ or one is unknown.
  int common_rank() const;

  Value lanes() const { return scope_.count(); }
  int64_t known_lanes() const { return scope_.known_count(); }
  BatchScope& scope() { return scope_; }
  // `shape`, a vector, behind the number of lanes.
  Value LanesAnd(Value shape) { return Join({lanes(), shape}); }
  // The numbers of all lanes, as [lanes, 1, 1, ...] of that rank.
  Value LaneNumbers(DType dtype, int rank);

  // This op once more, on other inputs.
  Values Again(const Values& inputs, const Attrs& attrs);
  // The same, and its results are those with lanes.
  bool SetAll(const Values& inputs, const Attrs& attrs);
  // Its attributes with an axis, counted from the end when negative, moved
  // behind the lanes. REQUIRES: the axis is one of a value of that rank.
  Attrs ShiftedAxis(int rank, std::string_view name = "axis") const;

  void set(int i, Value value, bool batched = true) {
    out_[static_cast<size_t>(i)] = {value, batched};
  }
  // The same, a list of each lane's lists.
  void set_boxed(int i, Value lists) {
    out_[static_cast<size_t>(i)] = {lists, true, true};
  }
  const std::vector<Lanes>& outputs() const { return out_; }

 private:
  BatchScope& scope_;
  const Node& node_;
  std::vector<Lanes> in_, out_;
};

using BatchRule = bool (*)(BatchContext&);

}  // namespace sluice
