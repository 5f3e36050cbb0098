// Emitter: adds nodes to one region, with short names for the ops that batching
// needs often. Added nodes carry the source line of the user's op.
//
// The first error sticks: later calls do nothing and return no value; the owner
// of the emitter checks status() at the end. Lives on the stack of the code
// that holds the graph's lock.
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
  SourceLine line{};              // used if there is no such op
  std::vector<Node*> open{};      // nodes whose regions are incomplete
  std::vector<Node*> controls{};  // control inputs of new nodes
  std::string device{};           // used if neither op nor input has one
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
  // Concatenates vectors of i64; a constant if all parts are.
  Value Join(const Values& parts);
  // The product of two vectors with one element; a constant if both are.
  Value Times(Value a, Value b);
  // The sizes of x from an axis on, all or `count` of them, as a vector: a
  // constant if they are known.
  Value Sizes(Value x, int from_axis = 0, int count = kMaxRank);
  // The size of axis 0, as a vector with one element.
  Value Rows(Value x);
  Value Reshape(Value x, Value shape);
  // Inserts `times` axes of size 1 before axis `axis`.
  Value Expand(Value x, int axis, int times = 1);
  Value Transpose(Value x, const std::vector<int64_t>& perm);
  // REQUIRES: `rank` is that of x.
  Value MoveAxis(Value x, int rank, int from, int to);
  Value Gather(Value x, Value rows);  // along axis 0
  // The slices of the lanes selected by `rows`. For lists: from a list of each
  // lane's lists.
  Value PickLanes(Value x, Value rows);
  Value JoinLanes(Value x, Value more);
  Value NoLists();              // an empty list of lists
  Value Where(Value mask);      // indices of the true elements
  Value Count(Value vector);    // its size, a scalar
  Value IsEmpty(Value vector);  // a scalar of bool
  Value ScalarOf(Value vector_of_one);
  // An array without rows, with the other sizes from `shape`; unknown sizes are
  // 0.
  Value NoRows(DType dtype, const PartialShape& shape);

  // Opens a node with regions, which are then filled.
  Node* Open(std::string_view op, std::span<const Value> inputs,
             const Attrs& attrs = {});
  Emitter NextRegion(Node& open);
  void Close(Node& open);
  // Opens a node that chooses among regions, which are filled in turn; its
  // results are set when all are complete, with joined shapes.
  Node* OpenBranch(std::string_view op, Value chooser, const Attrs& attrs = {});
  Values CloseBranch(Node& branch, const std::vector<Values>& results);
  // A conditional of two pieces of code, and a loop with `attrs`. Their results
  // must agree in number and types.
  Values If(Value pred, const Code& then, const Code& otherwise);
  Values While(const Values& inits, const std::vector<PartialShape>& shapes,
               const LoopCode& cond, const LoopCode& body, Attrs attrs = {});

  // Adds known facts about a value's shape to the graph.
  void Refine(Value value, const PartialShape& shape);

 private:
  EmitState* state_;
  Region* region_;
};

Emitter::Values OutputsOf(Node& node);

}  // namespace sluice
