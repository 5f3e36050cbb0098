#include "sluice/graph/node_work.h"

#include <algorithm>
#include <vector>

#include "sluice/graph/graph.h"

namespace sluice {

namespace {

constexpr int64_t kAssumedDim = 32;
constexpr double kAssumedElements = 1024;
constexpr double kMostElements = 1e12;

double ElementsOf(const PartialShape& shape) {
  if (!shape.rank_known()) return kAssumedElements;
  double elements = 1;
  for (int64_t dim : shape.dims()) {
    elements *= static_cast<double>(dim < 0 ? kAssumedDim : dim);
  }
  return std::min(elements, kMostElements);
}

PartialShape Assumed(PartialShape shape) {
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) < 0) shape.set_dim(i, kAssumedDim);
  }
  return shape;
}

}  // namespace

int64_t BytesOf(const ValueType& type) {
  if (IsReference(type.dtype)) return 0;
  return static_cast<int64_t>(ElementsOf(type.shape)) * DTypeSize(type.dtype);
}

NodeWork WorkOf(const Node& node) {
  NodeWork work;
  const OpRecord& op = node.op();
  if (op.structural || op.view || op.shape_only || op.handle) return work;
  bool ranks = true;
  double most = 0;
  auto count = [&](const ValueType& type) {
    if (IsReference(type.dtype)) return;
    ranks = ranks && type.shape.rank_known();
    most = std::max(most, ElementsOf(type.shape));
    work.bytes += static_cast<double>(BytesOf(type));
  };
  for (const Value& v : node.inputs()) count(v.type());
  for (int i = 0; i < node.num_outputs(); ++i) count(node.output_type(i));
  work.flops = most;
  CostFn cost = op.flops ? op.flops : op.cost;
  if (!cost || !ranks || most >= kMostElements) return work;
  std::vector<DType> in_dtypes, out_dtypes;
  std::vector<PartialShape> in_shapes, out_shapes;
  std::vector<const Array*> values;
  for (const Value& v : node.inputs()) {
    in_dtypes.push_back(v.dtype());
    in_shapes.push_back(Assumed(v.shape()));
    values.push_back(ConstantValue(v));
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    out_dtypes.push_back(node.output_type(i).dtype);
    out_shapes.push_back(Assumed(node.output_type(i).shape));
  }
  work.flops = cost(ShapeContext(op, node.attrs(), in_dtypes, in_shapes, values,
                                 out_dtypes, out_shapes));
  return work;
}

}  // namespace sluice
