// NodeSizes: a node's types, shapes and known values, in the form that its op's
// size functions (shapes, workspace, cost) expect.
//
// A snapshot; used by one thread, and not after the node's lifetime.
#pragma once

#include <vector>

#include "sluice/graph/node.h"
#include "sluice/op/shape_context.h"

namespace sluice {

class NodeSizes {
 public:
  explicit NodeSizes(const Node& node);
  NodeSizes(const NodeSizes&) = delete;
  NodeSizes& operator=(const NodeSizes&) = delete;

  // Contains the stated shapes of outputs; a shape function overwrites them.
  ShapeContext& context() { return context_; }
  const PartialShape& out(int i) const {
    return out_shapes_[static_cast<size_t>(i)];
  }
  bool fully_known() const;
  // Clears the stated outputs before the shape function is called.
  void ForgetOutputs();

 private:
  std::vector<DType> in_dtypes_, out_dtypes_;
  std::vector<PartialShape> in_shapes_, out_shapes_;
  std::vector<const Array*> values_;
  ShapeContext context_;
};

}  // namespace sluice
