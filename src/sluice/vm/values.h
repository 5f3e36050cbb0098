// Facts about a node that the compiler needs before it emits code: the values
// that are single elements and may live in cells, the outer values that
// functions read, and the order in which each region runs.
//
// Built once per node, immutable afterwards. Borrows the graph.
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

  // The inputs of the node, then the outer values it reads; each once.
  // Constants and functions are not among the latter: they are known.
  const std::vector<Value>& inputs() const { return inputs_; }
  // The outer values that a function reads, including functions it calls.
  const std::vector<Value>& captures(const Node& function) const {
    return functions_.at(&function).captures;
  }
  // Respects data, control and effect edges.
  const std::vector<Node*>& order(const Region& region) const {
    return orders_.at(&region);
  }
  // A single element of plain data: known to be of rank 0.
  bool scalar(const Value& v) const;
  // Whether a block function on cells computes it.
  bool computed_in_cell(const Node& node) const;
  // Whether it only asserts what a cell says.
  bool asserts_cell(const Node& node) const;
  // Whether it only passes on a single element.
  bool renames_cell(const Node& node) const;
  // Whether loop value i stays in a cell across iterations.
  bool carried_in_cell(const Node& loop, size_t i) const;
  // The short arrays that live in cells.
  const VmRows& rows() const { return rows_; }
  // Whether it is a result of some region.
  bool is_result(const Value& v) const { return results_.count(v) > 0; }
  // Whether anything inside draws random numbers, which depend on the
  // iteration.
  bool random() const { return random_; }

 private:
  struct Code {
    std::vector<Value> captures;
    std::unordered_set<Value, ValueHash> seen;
    std::vector<const Node*> calls;
    std::vector<const Region*> bodies;
    // True if the value is created inside.
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

// A value known before the run (constant or function), else null.
const Array* VmConstant(const Value& v);

// Whether it is an element of plain data that fits in a cell.
bool FitsCell(DType dtype);
// Whether its type says rank 0 and the element fits in a cell.
bool IsCellType(const Value& v);

}  // namespace sluice
