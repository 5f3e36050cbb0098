// VmRows: short arrays of a loop that live in cells, one cell per element, like
// scalars: x[0] names a cell, and an op on a row is one scalar instruction per
// element. A loop uses rows only if all nodes that touch them can: a single
// kernel in between would cost more for assembling the rows than they save.
//
// Built once per node, immutable afterwards. Borrows the graph.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

class VmRows {
 public:
  // An element of an input of a node.
  struct Element {
    int input = 0, element = 0;
  };
  // How a node is computed: element k of its output is that element of an
  // input, or the op applied to those elements.
  struct How {
    bool moves = false;
    std::vector<std::vector<Element>> from;  // by element of the output
  };

  VmRows() = default;  // no rows
  static VmRows Of(const Node& node);

  bool any() const { return !hows_.empty(); }
  // The number of cells of the value; 0: it is not a row.
  int size(const Value& v) const;
  // REQUIRES: size(v) > 0.
  Shape shape(const Value& v) const;
  // Null if the node does not involve rows.
  const How* how(const Node& node) const {
    auto it = hows_.find(&node);
    return it == hows_.end() ? nullptr : &it->second;
  }

 private:
  bool Visit(const Region& region);
  bool Visit(const Node& node);
  bool IsRow(const Value& v) const;
  bool IsRowOrCell(const Value& v) const;
  // Makes all values one row type, or none of them a row; the same holds for
  // `result`, whatever its own type says.
  bool Agree(std::span<const Value> values, const Value& result);
  bool FindHow(const Node& node);
  bool FindMoves(const Node& node, How& how) const;
  bool FindOperands(const Node& node, How& how) const;

  std::unordered_map<const Node*, How> hows_;
  // Shapes of results of branches and loops whose types do not state them.
  std::unordered_map<Value, Shape, ValueHash> shapes_;
  size_t instructions_ = 0;
};

}  // namespace sluice
