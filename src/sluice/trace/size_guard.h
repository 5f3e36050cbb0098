// Sizes in a function being recorded (front/function.h): the size of every axis
// of its graph for given shapes of the arguments, and the decisions its code
// based on sizes, which are the guards of a trace.
//
// KnownSizes evaluates one set of shapes: it runs shape functions, and kernels
// on small integer tensors, over the part of the graph a value depends on, and
// changes nothing. SizeGuards belongs to one recording: to its Capture while
// the code runs, then to its Trace. Both are used by one thread at a time.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/eager/tensor.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/tensor/array.h"

namespace sluice {

class KnownSizes {
 public:
  // `args`: the shapes of the first arguments of the graph's root; others are
  // known as far as their types tell. The graph must outlive this; nodes may be
  // added to it.
  KnownSizes(const Graph& graph, std::vector<Shape> args);

  // Dims that depend on elements are unknown. Errors: shapes that do not fit
  // together, worded as in a step.
  Result<PartialShape> ShapeOf(const Value& value);
  // Small integer or bool tensors that follow from shapes and constants; empty
  // otherwise.
  Result<Array> ElementsOf(const Value& value);

  // While code is recorded into a region: sets the shapes of its arguments.
  void Enter(const Region& region, std::vector<PartialShape> args);

  // A number, or a bool as 0 or 1, if it is known.
  Result<std::optional<double>> NumberOf(const Value& value);

 private:
  struct Outputs {
    std::vector<PartialShape> shapes;
    std::vector<Array> elements;
  };
  // A region with arguments of these shapes, within `outer`.
  KnownSizes(KnownSizes& outer, const Region& region,
             std::vector<PartialShape> args);

  KnownSizes& Home(const Node& node);
  bool Knows(const Node& node) const;
  Result<const Outputs*> At(const Node& node);
  Result<Outputs> Visit(const Node& node);
  Outputs ArgsOf(const Region& region) const;
  Result<Outputs> VisitBranch(const Node& node);
  Result<Outputs> VisitLoop(const Node& node);
  Result<Outputs> ResultsOf(const Region& region);
  void Compute(const Node& node, const std::vector<Array>& in,
               const std::vector<PartialShape>& in_shapes, Outputs& out);

  const Region* region_;
  KnownSizes* outer_ = nullptr;
  std::vector<PartialShape> args_;
  // Regions entered, by the number of the node that owns them.
  std::unordered_map<int, std::vector<PartialShape>> entered_;
  std::unordered_map<int, Outputs> known_;  // by node id; ids are never reused
};

class SizeGuards {
 public:
  SizeGuards(Graph& graph, const std::vector<Tensor>& args,
             std::vector<std::string> names);

  // Identifies the recording.
  uint64_t serial() const { return serial_; }
  Graph& graph() { return graph_; }
  // The shapes of the recorded call.
  KnownSizes& now() { return now_; }
  // "x.shape[1]"
  std::string NameOf(const Value& value, int axis) const;

  // Adds a guard: the recording is valid for calls in which this scalar of the
  // graph has its current value. Errors: it depends on elements, so it cannot
  // be checked before a run.
  Status Require(const Value& condition, std::string text);

  // Whether all guards hold for these arguments.
  bool Fit(const std::vector<Tensor>& args);
  // The first guard that does not hold: "x.shape[1] > 8 is False; the last
  // trace had True". Empty when all hold.
  std::string Why(const std::vector<Tensor>& args);

 private:
  struct Condition {
    Value value;
    double then;
    std::string text;
    std::string node;  // by name and number: code may have been discarded
    int id;
    DType dtype;
  };
  bool Gone(const Condition& c) const;
  // The sizes of all arguments, concatenated, and whether the guards held.
  struct Seen {
    std::vector<int64_t> sizes;
    bool fit;
  };
  static constexpr size_t kSeen = 64;

  // The index of the first guard that does not hold; -1 when all do. A guard
  // that cannot be evaluated for other sizes, because its nodes are gone (the
  // code of one lane, a loop recorded again), holds for equal sizes only.
  int Broken(const std::vector<Tensor>& args, std::string* now);

  Graph& graph_;
  std::vector<std::string> names_;
  std::vector<Shape> then_;  // of the arguments, in the recorded call
  uint64_t serial_;
  KnownSizes now_;
  std::vector<Condition> conditions_;
  std::deque<Seen> seen_;
};

}  // namespace sluice
