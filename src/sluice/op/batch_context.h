// BatchContext: the interface of a batching rule. A rule gets an op written for
// one example, at least one of whose inputs has a leading axis of lanes, and
// returns the op's outputs with that axis:
//
//   .batch([](BatchContext& b) {
//     if (b.rank(0) < 1) return false;            // lane by lane, then
//     return b.set_all({b.in(0)}, b.shifted_axis(b.rank(0)));
//   })
//
// Ranks and shapes given to a rule are those of one example. A rule that does
// not support these inputs returns false; the op then runs lane by lane. The
// rule's decisions may depend only on which inputs have lanes, on attributes
// and on what is known of the example: it is also run without emitting nodes,
// to find out which outputs will have lanes. Rules shared by many ops are in
// op/batch_rules.h; op/rule_context.h shows how to call ops.
//
// Lists: a list is the same for all lanes, has elements with lanes, or each
// lane has its own. The rule of .batch() serves the first two; a rule of
// .batch_lists() serves separate lists, if an op supports them.
//
// Lives for one op, on one thread; errors stick.
#pragma once

#include <string_view>
#include <vector>

#include "sluice/op/rule_context.h"

namespace sluice {

class BatchContext : public RuleContext {
 public:
  BatchContext(const OpRecord& op, const Attrs& attrs)
      : RuleContext(op, attrs, "batching rule") {}

  // in(i) is an input in its own form, with or without an axis of lanes.
  bool batched(int i) const { return batched_[static_cast<size_t>(i)]; }
  bool any_batched() const;
  RuleVars all_in();
  // With an axis of lanes in any case; a list becomes one list per lane.
  virtual RuleVar full(int i) = 0;
  RuleVars all_full();
  // A list whose elements have lanes; if that is impossible, each lane gets its
  // own list.
  virtual RuleVar together(int i) = 0;
  bool is_list(int i) { return in(i).dtype() == DType::kList; }

  // For one example; rank -1 if unknown.
  virtual const PartialShape& example(int i) const = 0;
  virtual const PartialShape& example_out(int i = 0) const = 0;
  int rank(int i) const { return example(i).rank(); }
  int rank_out(int i = 0) const { return example_out(i).rank(); }
  // The rank of all inputs; -1 if they differ or one is unknown.
  int common_rank() const;
  int num_outputs() const { return static_cast<int>(out_.size()); }

  // The number of lanes: as a vector with one element; and as a number if it is
  // known while building, else -1.
  virtual RuleVar lanes() = 0;
  virtual int64_t known_lanes() const = 0;
  // `shape`, a vector, preceded by the number of lanes.
  RuleVar lanes_and(RuleVar shape) { return join({lanes(), shape}); }
  // A partially known shape, preceded by the lanes.
  PartialShape with_lanes(const PartialShape& shape) const;
  // The indices of all lanes, as [lanes, 1, 1, ...] of that rank.
  RuleVar lane_numbers(DType dtype, int rank);

  // This op again, on other inputs.
  RuleVars again(std::span<const RuleVar> inputs, const Attrs& attrs);
  // The same; its results become the outputs with lanes.
  bool set_all(std::span<const RuleVar> inputs, const Attrs& attrs);
  bool set_all(std::span<const RuleVar> inputs) {
    return set_all(inputs, attrs());
  }
  bool set_all(std::initializer_list<RuleVar> inputs, const Attrs& attrs) {
    return set_all({inputs.begin(), inputs.size()}, attrs);
  }
  bool set_all(std::initializer_list<RuleVar> inputs) {
    return set_all(inputs, attrs());
  }
  // Its attributes, with an axis (counted from the end if negative) shifted
  // past the lanes. REQUIRES: the axis is valid for a value of that rank.
  Attrs shifted_axis(int rank, std::string_view name = "axis") const;

  void set(int i, RuleVar value, bool batched = true) {
    out_[static_cast<size_t>(i)] = {value, batched, false};
  }
  // The same, for a list of each lane's lists.
  void set_boxed(int i, RuleVar lists) {
    out_[static_cast<size_t>(i)] = {lists, true, true};
  }

  // Building blocks for rules.
  RuleVar integer(int64_t value);  // a scalar
  // Concatenates vectors of i64; a constant if all parts are.
  virtual RuleVar join(std::span<const RuleVar> parts) = 0;
  RuleVar join(std::initializer_list<RuleVar> parts) {
    return join({parts.begin(), parts.size()});
  }
  // The product of two vectors with one element; a constant if both are.
  virtual RuleVar times(RuleVar a, RuleVar b) = 0;
  // The sizes of x from that axis on, all or `count` of them, as a vector: a
  // constant if they are known.
  virtual RuleVar sizes(RuleVar x, int from_axis = 0, int count = kMaxRank) = 0;
  RuleVar reshape(RuleVar x, RuleVar shape);
  // Inserts `times` axes of size 1 before axis `axis`.
  RuleVar expand(RuleVar x, int axis, int times = 1);
  RuleVar transpose(RuleVar x, const std::vector<int64_t>& perm);
  // REQUIRES: `rank` is that of x.
  RuleVar move_axis(RuleVar x, int rank, int from, int to);
  RuleVar gather(RuleVar x, RuleVar rows);  // along axis 0
  // Elements `from` to `to` (exclusive) of a vector.
  RuleVar part(RuleVar vector, int64_t from, int64_t to);

 protected:
  struct Output {
    RuleVar value;
    bool batched = false;
    bool boxed = false;
  };
  // Set before the rule runs, like in_: which inputs have lanes, and the number
  // of outputs of the op.
  SmallVector<bool, 6> batched_;
  std::vector<Output> out_;
};

// `shape` preceded by an axis of that size (-1: unknown). Symbols are only
// meaningful relative to each other, so they become unknown.
PartialShape WithLanes(const PartialShape& shape, int64_t lanes);

// The permutation of `rank` axes that moves one axis.
std::vector<int64_t> AxisMoved(int rank, int from, int to);

}  // namespace sluice
