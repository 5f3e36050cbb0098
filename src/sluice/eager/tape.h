// The tape: imperative calls recorded for gradients. A TapeNode is one call,
// its edges lead to the calls its inputs came from, and it keeps of inputs and
// outputs what its gradient rule will read, nothing else.
//
// A node lives as long as a value it made, or a node that came after it. The
// count may be shared by threads; applying and dropping a node may not.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "sluice/base/small_vector.h"
#include "sluice/eager/eager_op.h"
#include "sluice/eager/eager_value.h"

namespace sluice {

class RecomputeRegion;

// Where the gradient of an input goes: to an output of an earlier call, to a
// leaf, or, when both are null, nowhere.
struct TapeEdge {
  Ref<TapeNode> node;
  int output = 0;
  EagerRef leaf;
  explicit operator bool() const { return node || leaf; }
};
TapeEdge EdgeTo(EagerValue& value);
inline TapeEdge EdgeTo(const EagerRef& value) { return EdgeTo(*value); }

class TapeNode : public RefCounted<TapeNode> {
 public:
  explicit TapeNode(SourceLine line) : line_(line) {}
  virtual ~TapeNode();

  // The gradients of the inputs from those of the outputs (null where nothing
  // flows in). `record`: the gradients can be differentiated themselves.
  virtual Status Backward(std::span<const EagerRef> dy, bool record,
                          std::span<EagerRef> dx) = 0;
  // Gives up what was kept; Backward then fails.
  virtual void Drop() = 0;
  virtual bool dropped() const { return false; }
  // Adds what else a backward run through here uses up. That may be on the way
  // of the same run: it is dropped when the run is over.
  virtual void UsesUp(std::vector<Ref<TapeNode>>&) {}
  // Stands for calls recorded elsewhere, which its edges do not lead to.
  virtual bool outside() const { return false; }
  virtual std::string_view name() const = 0;
  virtual size_t num_outputs() const = 0;
  // What it keeps of the user's, beside hooks, for those who follow who owns
  // what: the function its gradient calls, and the stretch it is part of.
  using UserBackward = std::function<std::vector<Tensor>(
      const std::vector<Tensor>&, const std::vector<Tensor>&,
      const std::vector<Tensor>&)>;
  virtual const UserBackward* user_backward() const { return nullptr; }
  virtual const RecomputeRegion* region() const { return nullptr; }

  // Greater than that of every node the edges lead to. REQUIRES: SetDepth was
  // called when the edges were there.
  uint64_t depth() const { return depth_; }
  void SetDepth();
  const SourceLine& line() const { return line_; }

  SmallVector<TapeEdge, 3> edges;  // by input

  // What is to happen to the gradient of an output before it flows on: the
  // user's function changes it, or it is put somewhere.
  struct Hook {
    int output;
    int id;
    std::function<Tensor(const Tensor&)> user;
    std::shared_ptr<EagerRef> place;  // set: there
  };
  std::vector<Hook> hooks;

  // For the backward run that is passing here: who it is, and what has flowed
  // into each output so far.
  std::atomic<const void*> run{nullptr};
  SmallVector<EagerRef, 2> flows;

 private:
  uint64_t depth_ = 0;
  const SourceLine line_;
};

// The error of a backward run that comes to what another has used up.
Status UsedUp(std::string_view name);

// A call of an op.
class OpTapeNode final : public TapeNode, public Pooled<OpTapeNode> {
 public:
  OpTapeNode(Ref<EagerOp> op, SourceLine line);
  ~OpTapeNode() override;

  // Keeps what the rule needs of the inputs; edges have been set. Of the
  // outputs only types and shapes are read. `overwritten`: input 0 is about to
  // be written over, so that it must be copied to be kept.
  Status Keep(std::span<EagerValue* const> inputs,
              std::span<const Array> outputs, bool overwritten);
  void KeepOutputs(std::span<const EagerRef> outputs);

  Status Backward(std::span<const EagerRef> dy, bool record,
                  std::span<EagerRef> dx) override;
  void Drop() override;
  bool dropped() const override { return dropped_; }
  std::string_view name() const override { return op_->record().name; }
  size_t num_outputs() const override { return op_->num_outputs(); }
  const RecomputeRegion* region() const override { return region_.get(); }

  // Part of a stretch that keeps nothing: its values come from another run of
  // the same code.
  void SetRegion(Ref<RecomputeRegion> region, size_t number);
  void TakeValues(OpTapeNode& repetition);

  const EagerOp& op() const { return *op_; }
  // Value i, inputs first, then outputs; only type and shape of what was not
  // kept. Errors: dropped, or overwritten since.
  Result<Array> Kept(size_t i) const;
  bool Keeps(size_t i) const {
    return i < edges.size() ? KeepsInput(i) : KeepsOutput(i - edges.size());
  }

 private:
  struct Saved {
    Array array;        // null: not kept, but of the type of another one
    Ref<WriteLog> log;  // null: cannot change, or not kept
    uint32_t count = 0;
    uint32_t like = 0;  // which one
  };
  Saved Save(EagerValue& value) const;
  Saved TypeOnly(const Array& a) const;
  bool KeepsInput(size_t i) const {
    return i >= 64 || (needs_.inputs >> i & 1);
  }
  bool KeepsOutput(size_t i) const {
    return i >= 64 || (needs_.outputs >> i & 1);
  }

  Ref<EagerOp> op_;
  GradNeeds needs_;
  bool dropped_ = false;
  bool kept_ = true;  // false: to be recomputed
  SmallVector<Saved, 4> values_;
  Ref<RecomputeRegion> region_;
  size_t number_ = 0;  // in the region
};

}  // namespace sluice
