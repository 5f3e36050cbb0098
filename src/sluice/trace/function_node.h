// A call of a captured function on the tape.
#pragma once

#include "sluice/base/error.h"
#include "sluice/eager/tape.h"
#include "sluice/trace/function_trace.h"

namespace sluice::front_internal {

// Keeps the feeds; the gradient recomputes the rest. The gradient is such a
// call too, fed with the incoming gradients as well, so gradients of any order
// work.
class FunctionTapeNode final : public TapeNode {
 public:
  FunctionTapeNode(SourceLine line, std::string name,
                   std::shared_ptr<Trace> trace, std::vector<Value> feeds,
                   std::vector<Array> arrays, std::vector<Value> ys)
      : TapeNode(line),
        name_(std::move(name)),
        trace_(std::move(trace)),
        feeds_(std::move(feeds)),
        arrays_(std::move(arrays)),
        ys_(std::move(ys)) {}

  std::string_view name() const override { return name_; }
  size_t num_outputs() const override { return ys_.size(); }
  // Releases what the last backward run passed through. Independent outputs
  // (Trace::made_apart) can still be differentiated.
  void Drop() override {
    if (SomeLeft()) return;
    arrays_.clear();
    fed.clear();
    kept.clear();
    overwritten.clear();
    through.clear();
    trace_.reset();
    dropped_ = true;
  }
  bool dropped() const override { return dropped_; }
  void UsesUp(std::vector<Ref<TapeNode>>& beside) override {
    for (Look& look : through) {
      if (look.passed) beside.push_back(look.node);
    }
    if (!calls) return;
    calls->Spend(of_outputs);
    beside.push_back(calls);
    calls->UsesUp(beside);
  }
  Status Backward(std::span<const EagerRef> dy, bool record,
                  std::span<EagerRef> dx) override;
  const Array& array(size_t feed) const { return arrays_[feed]; }
  // Copies the elements of a feed that is about to be overwritten. Throws.
  void KeepApart(size_t feed) {
    arrays_[feed] = ValueOrThrow(arrays_[feed].Clone());
  }

  RunOptions run_options;  // so that the gradient draws the same random numbers
  // Tensors whose memory was fed, with their write counts at that time. Not
  // their write logs: a write that gives the tensor other memory leaves the fed
  // elements unchanged.
  struct Fed {
    size_t feed;
    EagerRef tensor;
    uint32_t count;
  };
  std::vector<Fed> fed;
  // A value that imperative code would have kept (Trace::Kept), with its
  // output.
  struct Kept {
    size_t output;
    const Trace::Kept* what;
    Ref<WriteLog> log;
    uint32_t count;
  };
  std::vector<Kept> kept;
  // Views among the results that the gradient of an output passes through. They
  // are used up with it, as in imperative code.
  struct Look {
    size_t output;
    Ref<TapeNode> node;
    bool passed = false;  // by the last backward run
  };
  std::vector<Look> through;
  // For a gradient: the call it belongs to if gradients flow through that call,
  // and which of the call's outputs it covers.
  Ref<FunctionTapeNode> calls;
  std::vector<bool> of_outputs;
  // By output: what the code overwrote after that output was computed; may be
  // empty.
  std::vector<const std::string*> overwritten;
  // Trace::made_apart, if any outputs are independent.
  const std::vector<std::vector<bool>>* made_apart = nullptr;

 private:
  // Marks the outputs that this backward run passes through. Error: one of them
  // is used up.
  Status NotePassed(std::span<const EagerRef> dy);
  Status CheckUnwritten(std::span<const EagerRef> dy,
                        const TraceGradient& gradient) const;
  // Makes the node of the gradients; `arrays`: the feeds of their step.
  Ref<FunctionTapeNode> NodeOf(const TraceGradient& gradient,
                               std::span<const EagerRef> dy,
                               std::vector<Array> arrays);
  // Sets dx from the results of the gradient's step. `node`: from NodeOf, or
  // null.
  Status SetGradients(const TraceGradient& gradient, ArrayList& results,
                      const Ref<FunctionTapeNode>& node,
                      std::span<EagerRef> dx) const;
  // Marks what was passed through as used up; whether other outputs are left.
  bool SomeLeft();
  void Spend(const std::vector<bool>& outputs);

  const std::string name_;
  std::shared_ptr<Trace> trace_;
  const std::vector<Value> feeds_;
  std::vector<Array> arrays_;
  const std::vector<Value> ys_;
  std::vector<bool> passed_;  // by the last backward run
  std::vector<bool> used_up_;
  bool dropped_ = false;
};

// Calls through which backward() ran while the function ran.
class OverTapeNode final : public TapeNode {
 public:
  OverTapeNode(SourceLine line, std::string name, std::vector<TapeEdge> to)
      : TapeNode(line), name_(std::move(name)) {
    for (TapeEdge& edge : to) edges.push_back(std::move(edge));
    SetDepth();
  }
  std::string_view name() const override { return name_; }
  size_t num_outputs() const override { return 1; }
  void Drop() override {}
  bool dropped() const override { return true; }
  Status Backward(std::span<const EagerRef>, bool,
                  std::span<EagerRef>) override;

 private:
  const std::string name_;
};

}  // namespace sluice::front_internal
