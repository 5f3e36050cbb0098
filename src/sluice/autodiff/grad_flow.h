// GradFlow: the incoming gradients of each value while gradients of a graph are
// built, and their sums: one node per value with several parts. Sparse parts
// (slices along axis 0 with their indices) are kept separate from dense ones: a
// sum of sparse parts is sparse, with a dense part it is dense.
//
// Lives for one call of Gradients, whose caller holds the graph's lock.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/autodiff/gradients.h"

namespace sluice {

// One incoming gradient of a value: dense, or rows.
struct GradPart {
  Value dense;
  Value indices, values;
  bool rows() const { return static_cast<bool>(values); }
};

class GradFlow {
 public:
  // Sums are computed in `region`, where all parts are visible. `hoist`: loops
  // defer sums over their iterations until after the loop.
  GradFlow(Graph& graph, Region& region, bool hoist = true)
      : graph_(graph), region_(region), hoist_(hoist) {}
  bool hoist() const { return hoist_; }
  // Sparse gradients of branches stay sparse, with a different number of rows
  // in each branch. Not for lanes of vmap, which may take different branches.
  void KeepRowsOfBranches() { rows_of_branches_ = true; }
  bool rows_of_branches() const { return rows_of_branches_; }

  void Add(const Value& to, const Value& part) {
    parts_[to].dense.push_back(part);
  }
  void AddRows(const Value& to, const Value& indices, const Value& values) {
    parts_[to].rows.push_back({indices, values});
  }

  // The dense sum, with the size of `v`; empty if there are no parts.
  Result<Value> Total(const Value& v);
  // The summands, in the order they were added.
  std::vector<GradPart> PartsOf(const Value& v) const;
  // The sum, sparse if all parts are sparse.
  Result<GradientValue> TotalOrRows(const Value& v);

 private:
  struct Rows {
    Value indices, values;
  };
  struct Parts {
    std::vector<Value> dense;
    std::vector<Rows> rows;
    Value total;  // of all parts; computed on demand
  };

  Result<Value> Sum(const Value& v, const std::vector<Value>& parts);
  Result<Value> Call(const Value& v, std::string_view op,
                     std::span<const Value> inputs, const Attrs& attrs = {});
  Status MergeRows(const Value& v, std::vector<Rows>& rows);
  Result<Value> ShapeOf(const Value& v);

  Graph& graph_;
  Region& region_;
  const bool hoist_;
  bool rows_of_branches_ = false;
  std::unordered_map<Value, Parts, ValueHash> parts_;
};

}  // namespace sluice
