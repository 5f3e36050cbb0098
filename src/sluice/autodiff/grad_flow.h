// GradFlow: what flows into each value while gradients of a graph are built,
// and its sum: one node per value with several parts. Parts that are rows
// (slices along axis 0 and where to add them) are kept apart from dense ones:
// rows and rows stay rows, rows and a dense part become dense.
//
// Lives for one call of Gradients, whose caller holds the graph's lock.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/autodiff/gradients.h"

namespace sluice {

// One of the things that flow into a value: a value as large, or rows.
struct GradPart {
  Value dense;
  Value indices, values;
  bool rows() const { return static_cast<bool>(values); }
};

class GradFlow {
 public:
  // Sums are computed in `region`, where all parts are seen. `hoist`: loops on
  // the way leave sums over their iterations until after them.
  GradFlow(Graph& graph, Region& region, bool hoist = true)
      : graph_(graph), region_(region), hoist_(hoist) {}
  bool hoist() const { return hoist_; }
  // Rows that branches give stay rows, of another number in each of them. Not
  // for lanes, which may take different branches.
  void KeepRowsOfBranches() { rows_of_branches_ = true; }
  bool rows_of_branches() const { return rows_of_branches_; }

  void Add(const Value& to, const Value& part) {
    parts_[to].dense.push_back(part);
  }
  void AddRows(const Value& to, const Value& indices, const Value& values) {
    parts_[to].rows.push_back({indices, values});
  }

  // The sum as one value, as large as `v`; no value when nothing flows in.
  Result<Value> Total(const Value& v);
  // What the sum is of, in the order it came.
  std::vector<GradPart> PartsOf(const Value& v) const;
  // The sum as rows where all parts are rows.
  Result<GradientValue> TotalOrRows(const Value& v);

 private:
  struct Rows {
    Value indices, values;
  };
  struct Parts {
    std::vector<Value> dense;
    std::vector<Rows> rows;
    Value total;  // of both, once somebody asked for it
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
