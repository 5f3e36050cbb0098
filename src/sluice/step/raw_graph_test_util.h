// Builds raw control flow by hand, for tests of the token machine.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/plan/plan.h"
#include "sluice/step/step.h"

namespace sluice {

// A graph under construction. Every node has the line "raw.cc:<its number>".
class RawGraph {
 public:
  RawGraph() : graph_(std::make_unique<Graph>("raw")) {}

  Value Arg(const std::string& name, ValueType type) {
    return *graph_->AddArg(graph_->root(), name, std::move(type));
  }
  Value Arg(const std::string& name, DType dtype) {
    return Arg(name, {dtype, Shape()});
  }
  Node* Add(const std::string& op, const std::vector<Value>& inputs,
            const Attrs& attrs = {}, const std::string& name = "") {
    NodeOptions options;
    options.name = name;
    options.line = {"raw.cc", "test", ++lines_};
    Result<Node*> node =
        graph_->Add(graph_->root(), op, inputs, attrs, options);
    EXPECT_TRUE(node.ok()) << node.status().message();
    SL_CHECK(node.ok());
    return *node;
  }
  Value operator()(const std::string& op, const std::vector<Value>& inputs,
                   const Attrs& attrs = {}, const std::string& name = "") {
    return Add(op, inputs, attrs, name)->output(0);
  }
  template <class T>
  Value Const(T value) {
    return (*this)("Const", {}, {{"value", Array::Scalar<T>(value)}});
  }
  Value Enter(Value x, const std::string& frame, bool constant = false,
              int parallel = 10) {
    return (*this)(
        "Enter", {x},
        {{"frame", frame}, {"constant", constant}, {"parallel", parallel}});
  }
  // A Merge whose second input is connected later.
  Value LoopMerge(Value enter) { return (*this)("Merge", {enter, enter}); }
  void Round(Value merge, Value x) {
    Value next = (*this)("NextIteration", {x});
    graph_->SetInput(*merge.node, 1, next);
  }
  Value False(Value x, Value pred) { return Switch(x, pred)->output(0); }
  Value True(Value x, Value pred) { return Switch(x, pred)->output(1); }
  Node* Switch(Value x, Value pred) { return Add("Switch", {x, pred}); }
  void Control(Value after, Value before) {
    graph_->AddControl(*after.node, *before.node);
  }
  // for (i = 0; i < n; ++i) in a frame, and the counter after it. The body
  // callback receives the current i.
  struct Counter {
    Value i, pred, inside;
  };
  Counter Count(Value start, Value n, const std::string& frame,
                int parallel = 10) {
    Counter c;
    c.i = LoopMerge(Enter(start, frame, false, parallel));
    Value limit = Enter(n, frame, true, parallel);
    c.pred = (*this)("LoopCond", {(*this)("Less", {c.i, limit})});
    Node* gate = Switch(c.i, c.pred);
    c.inside = gate->output(1);
    Round(c.i, (*this)("Add", {c.inside, Const<int64_t>(1)}));
    exit_ = (*this)("Exit", {gate->output(0)});
    return c;
  }
  Value last_exit() const { return exit_; }

  Graph& graph() { return *graph_; }
  std::unique_ptr<Graph> Take(std::vector<Value> results,
                              std::vector<Node*> targets = {}) {
    graph_->SetResults(graph_->root(), std::move(results));
    graph_->SetTargets(graph_->root(), std::move(targets));
    return std::move(graph_);
  }

 private:
  std::unique_ptr<Graph> graph_;
  int lines_ = 0;
  Value exit_;
};

// The outcome of one run.
struct RawRun {
  Status status;
  std::vector<Array> results;  // empty if dead or missing
  std::string waiting;
  int64_t frames_left = 0;
};
RawRun RunRaw(std::unique_ptr<Graph> graph, const std::vector<Array>& args,
              ExecutorChoice choice = ExecutorChoice::kTokens,
              WorkerPool* pool = nullptr);

}  // namespace sluice
