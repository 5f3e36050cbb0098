// A call of a captured function on the tape.
#pragma once

#include "sluice/base/error.h"
#include "sluice/eager/tape.h"
#include "sluice/trace/function_trace.h"

namespace sluice::front_internal {

// Keeps what was fed; the gradient computes the rest again. The gradient is
// such a call, too, with what flowed in fed beside: gradients of any order.
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
  // Of what the last backward run went through. What was made apart can still
  // be gone through.
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
  // What was fed there is about to be written: its elements are copied. Throws.
  void KeepApart(size_t feed) {
    arrays_[feed] = ValueOrThrow(arrays_[feed].Clone());
  }

  RunOptions run_options;  // the gradient draws the same random numbers
  // Tensors whose memory was fed, and the writes to it then. Not their logs: a
  // write that gives the tensor other memory leaves what was fed as it is.
  struct Fed {
    size_t feed;
    EagerRef tensor;
    uint32_t count;
  };
  std::vector<Fed> fed;
  // What imperative code would have kept (Trace::Kept), and for which output.
  struct Kept {
    size_t output;
    const Trace::Kept* what;
    Ref<WriteLog> log;
    uint32_t count;
  };
  std::vector<Kept> kept;
  // Looks that are results, too, through which the gradient of an output flows:
  // used up with it, as imperatively.
  struct Look {
    size_t output;
    Ref<TapeNode> node;
    bool passed = false;  // by the last backward run
  };
  std::vector<Look> through;
  // Of a gradient: the call it is of, where gradients flow through that, and
  // which of its outputs.
  Ref<FunctionTapeNode> calls;
  std::vector<bool> of_outputs;
  // By output: what the code has overwritten of that; may be empty.
  std::vector<const std::string*> overwritten;
  // Trace::made_apart, where some are.
  const std::vector<std::vector<bool>>* made_apart = nullptr;

 private:
  // Notes the outputs this backward run goes through. Error: one is used up.
  Status NotePassed(std::span<const EagerRef> dy);
  Status CheckUnwritten(std::span<const EagerRef> dy,
                        const TraceGradient& gradient) const;
  // The node of the gradients; `arrays`: the feeds of their step.
  Ref<FunctionTapeNode> NodeOf(const TraceGradient& gradient,
                               std::span<const EagerRef> dy,
                               std::vector<Array> arrays);
  // Sets dx from the results of the gradient's step. `node`: from NodeOf, or
  // null.
  Status SetGradients(const TraceGradient& gradient, ArrayList& results,
                      const Ref<FunctionTapeNode>& node,
                      std::span<EagerRef> dx) const;
  // Notes what has been gone through; whether outputs are left that have not.
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

// What backward() has been through while the function ran.
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
