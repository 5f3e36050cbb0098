// Sizes of a function being recorded (front/function.h): what every axis of
// its graph has for given shapes of the arguments, and the decisions its code
// took on them, which a trace serves calls by.
//
// KnownSizes works out one set of shapes: it runs shape functions, and kernels
// of small integers, over the part of the graph a value is made of. It changes
// nothing. SizeGuards belongs to one recording: its Capture while the code
// runs, its Trace after that. Both are for one thread at a time.
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
  // `args`: of the first arguments of the graph's root; others are known as far
  // as their types say. The graph must outlive this; nodes may be added to it.
  KnownSizes(const Graph& graph, std::vector<Shape> args);

  // Dims that depend on elements are unknown. Errors: shapes that do not fit
  // together, as the step would say.
  Result<PartialShape> ShapeOf(const Value& value);
  // Small elements of integers or bools that follow from shapes and constants;
  // holds nothing when they do not.
  Result<Array> ElementsOf(const Value& value);

  // While code is recorded into a region: the shapes its arguments have.
  void Enter(const Region& region, std::vector<PartialShape> args);

  // A number or a truth, if it is known.
  Result<std::optional<double>> NumberOf(const Value& value);

 private:
  struct Outputs {
    std::vector<PartialShape> shapes;
    std::vector<Array> elements;
  };
  // A region whose arguments have these shapes, inside of what `outer` knows.
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
  std::unordered_map<int, Outputs> known_;  // by id: ids are not used again
};

class SizeGuards {
 public:
  SizeGuards(Graph& graph, const std::vector<Tensor>& args,
             std::vector<std::string> names);

  // Tells recordings apart.
  uint64_t serial() const { return serial_; }
  Graph& graph() { return graph_; }
  // The shapes of the call that is recorded.
  KnownSizes& now() { return now_; }
  // "x.shape[1]"
  std::string NameOf(const Value& value, int axis) const;

  // What was recorded serves calls in which this scalar of the graph is what it
  // is now. Errors: it depends on elements, so that nobody knows before.
  Status Require(const Value& condition, std::string text);

  // Whether the decisions of the recording come out for such arguments, too.
  bool Fit(const std::vector<Tensor>& args);
  // The first that does not: "x.shape[1] > 8 is False; the last trace had
  // True". Empty when there is none.
  std::string Why(const std::vector<Tensor>& args);

 private:
  struct Condition {
    Value value;
    double then;
    std::string text;
    std::string node;  // by name and number: code may have been taken back
    int id;
    DType dtype;
  };
  bool Gone(const Condition& c) const;
  // Sizes of all arguments one after the other, and what came out for them.
  struct Seen {
    std::vector<int64_t> sizes;
    bool fit;
  };
  static constexpr size_t kSeen = 64;

  // The place of the first condition that does not hold; -1 when all do. One
  // that cannot be asked for other sizes, because what it was made of is gone
  // (the code of one lane, a loop recorded again), holds for the same sizes.
  int Broken(const std::vector<Tensor>& args, std::string* now);

  Graph& graph_;
  std::vector<std::string> names_;
  std::vector<Shape> then_;  // of the arguments, in the call recorded
  uint64_t serial_;
  KnownSizes now_;
  std::vector<Condition> conditions_;
  std::deque<Seen> seen_;
};

}  // namespace sluice
