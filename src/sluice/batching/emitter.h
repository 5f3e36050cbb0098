// Emitter: adds nodes to one region, with the ops that batching needs over and
// over under short names. What it adds carries the line of the user's op it is
// emitted for.
//
// The first error sticks: later calls do nothing and give no value; whoever
// made the emitter asks status() in the end. Lives on the stack of whoever
// holds the graph's lock.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/batch_context.h"

namespace sluice {

// Shared by the emitters of all regions of one transform.
struct EmitState {
  Graph& graph;
  Status status{};
  const Node* source = nullptr;   // the user's op
  SourceLine line{};              // where there is no such op
  std::vector<Node*> open{};      // nodes whose regions are not filled yet
  std::vector<Node*> controls{};  // what its nodes wait for
  std::string device{};           // where neither op nor input says one
};

class Emitter {
 public:
  using Values = std::vector<Value>;
  using Code = std::function<Values(Emitter&)>;
  using LoopCode = std::function<Values(Emitter&, const Values&)>;

  Emitter(EmitState& state, Region& region)
      : state_(&state), region_(&region) {}

  Graph& graph() { return state_->graph; }
  Region& region() { return *region_; }
  EmitState& state() { return *state_; }
  bool ok() const { return state_->status.ok(); }
  const Status& status() const { return state_->status; }
  void Fail(Status status);

  // Null after an error.
  Node* Add(std::string_view op, std::span<const Value> inputs,
            const Attrs& attrs = {});
  Value Call(std::string_view op, std::initializer_list<Value> inputs,
             const Attrs& attrs = {});
  Value Call(std::string_view op, const Values& inputs,
             const Attrs& attrs = {});

  Value Const(Array value);
  Value Ints(const std::vector<int64_t>& values);  // a vector
  Value Int(int64_t value);                        // a scalar
  // The parts, vectors of i64, as one; a constant when they all are.
  Value Join(const Values& parts);
  // The product of two vectors of one number; a constant when both are.
  Value Times(Value a, Value b);
  // The sizes of x from that axis on, all or so many, as a vector: a constant
  // when they are known.
  Value Sizes(Value x, int from_axis = 0, int count = kMaxRank);
  // The size of axis 0, as a vector of one number.
  Value Rows(Value x);
  Value Reshape(Value x, Value shape);
  // `times` more axes of size 1 before axis `axis`.
  Value Expand(Value x, int axis, int times = 1);
  Value Transpose(Value x, const std::vector<int64_t>& perm);
  // REQUIRES: `rank` is that of x.
  Value MoveAxis(Value x, int rank, int from, int to);
  Value Gather(Value x, Value rows);  // along axis 0
  // What lanes have, for those that `rows` names; one after the others. Of
  // lists, lists of each lane's lists are taken.
  Value PickLanes(Value x, Value rows);
  Value JoinLanes(Value x, Value more);
  Value NoLists();              // a list of lists that is empty
  Value Where(Value mask);      // the indices of a vector's trues
  Value Count(Value vector);    // its size, a scalar
  Value IsEmpty(Value vector);  // a scalar of bool
  Value ScalarOf(Value vector_of_one);
  // No rows of what has `shape` behind its rows; sizes that are not known are
  // 0.
  Value NoRows(DType dtype, const PartialShape& shape);

  // A node with regions, while they are filled.
  Node* Open(std::string_view op, std::span<const Value> inputs,
             const Attrs& attrs = {});
  Emitter NextRegion(Node& open);
  void Close(Node& open);
  // A node that chooses among regions, each filled in turn, and its results
  // when all are; their shapes are joined.
  Node* OpenBranch(std::string_view op, Value chooser, const Attrs& attrs = {});
  Values CloseBranch(Node& branch, const std::vector<Values>& results);
  // A conditional of two pieces of code, and a loop with `attrs` of another.
  // What they give must agree in number and types.
  Values If(Value pred, const Code& then, const Code& otherwise);
  Values While(const Values& inits, const std::vector<PartialShape>& shapes,
               const LoopCode& cond, const LoopCode& body, Attrs attrs = {});

  // Tells the graph what is known of a value's shape.
  void Refine(Value value, const PartialShape& shape);

 private:
  EmitState* state_;
  Region* region_;
};

Emitter::Values OutputsOf(Node& node);

}  // namespace sluice
