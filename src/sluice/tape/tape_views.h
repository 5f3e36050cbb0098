// TapeViews: which nodes of an island are free views, and of what. A view is a
// fixed distance into the memory of its input and a new shape; it costs no
// instruction.
//
// Made once per tape; immutable afterwards.
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

  // `nodes` in topological order; `outputs` are what the island gives away,
  // which must lie in memory of their own.
  TapeViews(const std::vector<Node*>& nodes, const std::vector<Value>& outputs);

  bool IsView(const Node* node) const { return views_.count(node) > 0; }
  // Of a view's result, relative to its input; of anything else, as it is made.
  Layout LayoutOf(const Value& v) const;
  // The value whose memory `v` looks into.
  Value Root(Value v) const;
  // True when `v` shows all of its root, element i at place i.
  bool ShowsAll(const Value& v) const;

 private:
  std::unordered_map<const Node*, Layout> views_;
};

}  // namespace sluice
