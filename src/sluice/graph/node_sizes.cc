#include "sluice/graph/node_sizes.h"

#include <algorithm>

#include "sluice/graph/graph.h"

namespace sluice {

namespace {

std::vector<DType> InputTypes(const Node& node) {
  std::vector<DType> dtypes;
  for (const Value& v : node.inputs()) dtypes.push_back(v.dtype());
  return dtypes;
}

std::vector<DType> OutputTypes(const Node& node) {
  std::vector<DType> dtypes;
  for (int i = 0; i < node.num_outputs(); ++i) {
    dtypes.push_back(node.output_type(i).dtype);
  }
  return dtypes;
}

std::vector<PartialShape> InputShapes(const Node& node) {
  std::vector<PartialShape> shapes;
  for (const Value& v : node.inputs()) shapes.push_back(v.shape());
  return shapes;
}

std::vector<PartialShape> OutputShapes(const Node& node) {
  std::vector<PartialShape> shapes;
  for (int i = 0; i < node.num_outputs(); ++i) {
    shapes.push_back(node.output_type(i).shape);
  }
  return shapes;
}

std::vector<const Array*> KnownValues(const Node& node) {
  std::vector<const Array*> values;
  for (const Value& v : node.inputs()) values.push_back(ConstantValue(v));
  return values;
}

}  // namespace

NodeSizes::NodeSizes(const Node& node)
    : in_dtypes_(InputTypes(node)),
      out_dtypes_(OutputTypes(node)),
      in_shapes_(InputShapes(node)),
      out_shapes_(OutputShapes(node)),
      values_(KnownValues(node)),
      context_(node.op(), node.attrs(), in_dtypes_, in_shapes_, values_,
               out_dtypes_, out_shapes_) {}

bool NodeSizes::fully_known() const {
  auto known = [](const PartialShape& shape) { return shape.fully_known(); };
  return std::all_of(in_shapes_.begin(), in_shapes_.end(), known) &&
         std::all_of(out_shapes_.begin(), out_shapes_.end(), known);
}

void NodeSizes::ForgetOutputs() {
  std::fill(out_shapes_.begin(), out_shapes_.end(), PartialShape());
}

}  // namespace sluice
