// TapeViews: the nodes of an island that are free views, with their layouts. A
// view is a fixed offset into the memory of its input and a new shape; it costs
// no instruction.
//
// Built once per tape; immutable afterwards.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

class TapeViews {
 public:
  struct Layout {
    Shape shape;
    Strides strides{};
    int64_t offset = 0;  // bytes from the viewed value's first element
  };

  // `nodes` in topological order; `outputs` are the outputs of the island,
  // which need memory of their own.
  TapeViews(const std::vector<Node*>& nodes, const std::vector<Value>& outputs);

  bool IsView(const Node* node) const { return views_.count(node) > 0; }
  // For a view, the layout relative to its input; for other values, the layout
  // in which they are created.
  Layout LayoutOf(const Value& v) const;
  // The value whose memory `v` shares.
  Value Root(Value v) const;
  // True if `v` shows all elements of its root in the same order.
  bool ShowsAll(const Value& v) const;

 private:
  std::unordered_map<const Node*, Layout> views_;
};

}  // namespace sluice
