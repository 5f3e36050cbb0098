// BatchContext: the interface of a batching rule. A rule is given an op written
// for one example, at least one of whose inputs has a leading axis of lanes,
// and gives the op's outputs with that axis:
//
//   .batch([](BatchContext& b) {
//     if (b.rank(0) < 1) return false;            // lane by lane, then
//     return b.set_all({b.in(0)}, b.shifted_axis(b.rank(0)));
//   })
//
// Ranks and shapes a rule asks for are those of one example. A rule that cannot
// help with these inputs returns false; the op then runs lane by lane. What the
// rule decides must follow from which inputs have lanes, from attributes and
// from what is known of the example: it is also asked, with nothing emitted,
// which outputs will have lanes. Rules that many ops share are in
// op/batch_rules.h; how ops are called is in op/rule_context.h.
//
// Lists: a list is the same for all lanes, has elements with lanes, or is one
// of each lane's own. The rule of .batch() serves the first two; a rule of
// .batch_lists() serves lists of each lane's own, where one op does.
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

  // in(i) is an input as it is, with an axis of lanes or without.
  bool batched(int i) const { return batched_[static_cast<size_t>(i)]; }
  bool any_batched() const;
  RuleVars all_in();
  // With an axis of lanes in any case; of a list, one of each lane's own.
  virtual RuleVar full(int i) = 0;
  RuleVars all_full();
  // A list whose elements have lanes; where it cannot be one, each lane gets
  // its own.
  virtual RuleVar together(int i) = 0;
  bool is_list(int i) { return in(i).dtype() == DType::kList; }

  // Of one example; rank -1 when unknown.
  virtual const PartialShape& example(int i) const = 0;
  virtual const PartialShape& example_out(int i = 0) const = 0;
  int rank(int i) const { return example(i).rank(); }
  int rank_out(int i = 0) const { return example_out(i).rank(); }
  // That of all inputs, -1 when they differ or one is unknown.
  int common_rank() const;
  int num_outputs() const { return static_cast<int>(out_.size()); }

  // How many lanes there are: a vector of one number; and as a number when it
  // is known while building, else -1.
  virtual RuleVar lanes() = 0;
  virtual int64_t known_lanes() const = 0;
  // `shape`, a vector, behind the number of lanes.
  RuleVar lanes_and(RuleVar shape) { return join({lanes(), shape}); }
  // What is known of a shape, behind the lanes.
  PartialShape with_lanes(const PartialShape& shape) const;
  // The numbers of all lanes, as [lanes, 1, 1, ...] of that rank.
  RuleVar lane_numbers(DType dtype, int rank);

  // This op once more, on other inputs.
  RuleVars again(std::span<const RuleVar> inputs, const Attrs& attrs);
  // The same, and its results are those with lanes.
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
  // Its attributes with an axis, counted from the end when negative, moved
  // behind the lanes. REQUIRES: the axis is one of a value of that rank.
  Attrs shifted_axis(int rank, std::string_view name = "axis") const;

  void set(int i, RuleVar value, bool batched = true) {
    out_[static_cast<size_t>(i)] = {value, batched, false};
  }
  // The same, a list of each lane's lists.
  void set_boxed(int i, RuleVar lists) {
    out_[static_cast<size_t>(i)] = {lists, true, true};
  }

  // The words rules are made of.
  RuleVar integer(int64_t value);  // a scalar
  // The parts, vectors of i64, as one; a constant when they all are.
  virtual RuleVar join(std::span<const RuleVar> parts) = 0;
  RuleVar join(std::initializer_list<RuleVar> parts) {
    return join({parts.begin(), parts.size()});
  }
  // The product of two vectors of one number; a constant when both are.
  virtual RuleVar times(RuleVar a, RuleVar b) = 0;
  // The sizes of x from that axis on, all or so many, as a vector: a constant
  // when they are known.
  virtual RuleVar sizes(RuleVar x, int from_axis = 0, int count = kMaxRank) = 0;
  RuleVar reshape(RuleVar x, RuleVar shape);
  // `times` more axes of size 1 before axis `axis`.
  RuleVar expand(RuleVar x, int axis, int times = 1);
  RuleVar transpose(RuleVar x, const std::vector<int64_t>& perm);
  // REQUIRES: `rank` is that of x.
  RuleVar move_axis(RuleVar x, int rank, int from, int to);
  RuleVar gather(RuleVar x, RuleVar rows);  // along axis 0
  // Elements `from` to `to`, not included, of a vector.
  RuleVar part(RuleVar vector, int64_t from, int64_t to);

 protected:
  struct Output {
    RuleVar value;
    bool batched = false;
    bool boxed = false;
  };
  // To be filled before the rule runs, as in_ is: which inputs have lanes; and
  // as many outputs as the op has.
  SmallVector<bool, 6> batched_;
  std::vector<Output> out_;
};

// `shape` behind an axis of that size (-1: unknown); symbols, which mean
// something only among themselves, become unknown.
PartialShape WithLanes(const PartialShape& shape, int64_t lanes);

// The permutation of `rank` axes that moves one.
std::vector<int64_t> AxisMoved(int rank, int from, int to);

}  // namespace sluice
