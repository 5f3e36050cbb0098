// What the compiler needs to know of a node before it writes code: which values
// are single elements and may live in cells, which outer values functions read,
// and the order in which each region runs.
//
// Made once per node, immutable afterwards. Borrows the graph.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/graph/node.h"
#include "sluice/vm/rows.h"

namespace sluice {

class VmValues {
 public:
  static Result<VmValues> Of(const Node& node);

  // Inputs of the node, then what is read from around it; each once. Constants
  // and functions are not among the latter: they are known.
  const std::vector<Value>& inputs() const { return inputs_; }
  // What a function reads from around its body, functions it calls included.
  const std::vector<Value>& captures(const Node& function) const {
    return functions_.at(&function).captures;
  }
  // By data, control and effects.
  const std::vector<Node*>& order(const Region& region) const {
    return orders_.at(&region);
  }
  // A single element of plain data: rank 0 as far as anyone can tell.
  bool scalar(const Value& v) const;
  // A block function on cells computes it.
  bool computed_in_cell(const Node& node) const;
  // It asserts what a cell says, and no more.
  bool asserts_cell(const Node& node) const;
  // A single element passed on under another name.
  bool renames_cell(const Node& node) const;
  // Whether loop value i lives in a cell from one iteration to the next.
  bool carried_in_cell(const Node& loop, size_t i) const;
  // Short arrays that are in cells, too.
  const VmRows& rows() const { return rows_; }
  // Some region has it among its results.
  bool is_result(const Value& v) const { return results_.count(v) > 0; }
  // Anything inside draws random numbers, which need to know the iteration.
  bool random() const { return random_; }

 private:
  struct Code {
    std::vector<Value> captures;
    std::unordered_set<Value, ValueHash> seen;
    std::vector<const Node*> calls;
    // True when the value is made inside.
    std::vector<const Region*> bodies;
    bool Inside(const Value& v) const;
    void Capture(const Value& v);
  };

  Status Visit(const Region& region, Code& code);
  Status VisitNode(const Node& node, Code& code);
  void PassCapturesOn();

  VmRows rows_;
  std::vector<Value> inputs_;
  std::unordered_map<const Node*, Code> functions_;
  std::unordered_map<const Region*, std::vector<Node*>> orders_;
  std::unordered_set<Value, ValueHash> scalars_, results_;
  std::vector<const Node*> pending_;
  bool random_ = false;
};

// Known before anything runs: a constant, a function. Null when it is not.
const Array* VmConstant(const Value& v);

// An element of plain data that a cell is large enough for.
bool FitsCell(DType dtype);
// Of rank 0 by its type, and of such a type.
bool IsCellType(const Value& v);

}  // namespace sluice
