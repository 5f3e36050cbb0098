// NodeSizes: a node's types, shapes and known values, as its op's functions of
// sizes (shapes, workspace, cost) want to see them.
//
// A snapshot; lives on one thread, no longer than the node.
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

  // Sees the stated shapes of outputs; a shape function writes over them.
  ShapeContext& context() { return context_; }
  const PartialShape& out(int i) const {
    return out_shapes_[static_cast<size_t>(i)];
  }
  bool fully_known() const;
  // For asking the shape function: what is stated of outputs is forgotten.
  void ForgetOutputs();

 private:
  std::vector<DType> in_dtypes_, out_dtypes_;
  std::vector<PartialShape> in_shapes_, out_shapes_;
  std::vector<const Array*> values_;
  ShapeContext context_;
};

}  // namespace sluice
