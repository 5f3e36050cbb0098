// VmRows: short arrays of a loop that live in cells, element by element, as
// scalars do: x[0] is the name of a cell, and an op on a row is its instruction
// for each element. A loop has them when all that touches them can be done so:
// one kernel between would cost more to put rows together than it saves.
//
// Made once per node, immutable afterwards. Borrows the graph.
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
  // How a node is done: element k of its output is that element of an input, or
  // what the op makes of those.
  struct How {
    bool moves = false;
    std::vector<std::vector<Element>> from;  // by element of the output
  };

  VmRows() = default;  // none
  static VmRows Of(const Node& node);

  bool any() const { return !hows_.empty(); }
  // How many cells the value is in; 0: it is no row.
  int size(const Value& v) const;
  // REQUIRES: size(v) > 0.
  Shape shape(const Value& v) const;
  // Null when the node has nothing to do with rows.
  const How* how(const Node& node) const {
    auto it = hows_.find(&node);
    return it == hows_.end() ? nullptr : &it->second;
  }

 private:
  bool Visit(const Region& region);
  bool Visit(const Node& node);
  bool IsRow(const Value& v) const;
  bool IsRowOrCell(const Value& v) const;
  // All of one row's type, or no row among them; so is `result`, whatever its
  // own type says.
  bool Agree(std::span<const Value> values, const Value& result);
  bool FindHow(const Node& node);
  bool FindMoves(const Node& node, How& how) const;
  bool FindOperands(const Node& node, How& how) const;

  std::unordered_map<const Node*, How> hows_;
  // Of results of branches and loops whose types do not say it.
  std::unordered_map<Value, Shape, ValueHash> shapes_;
  size_t instructions_ = 0;
};

}  // namespace sluice
