#include "sluice/nn/flops.h"

#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/op/shape_context.h"

namespace sluice::nn {

namespace {

// Without the exponentials, which its cost has in it: every query with every
// key, then with every value.
double AttentionFlops(const std::vector<PartialShape>& in) {
  const PartialShape &q = in[0], &k = in[1], &v = in[2];
  double work = 2;
  for (int i = 0; i + 1 < q.rank(); ++i) work *= static_cast<double>(q[i]);
  return work * static_cast<double>(k[k.rank() - 2]) *
         static_cast<double>(q[q.rank() - 1] + v[v.rank() - 1]);
}

}  // namespace

double NodeFlops(const Node& node) {
  if (!node.op().cost) return 0;
  std::vector<DType> in_dtypes, out_dtypes;
  std::vector<PartialShape> in_shapes, out_shapes;
  std::vector<const Array*> values;
  for (const Value& v : node.inputs()) {
    if (!v.shape().fully_known()) return 0;
    in_dtypes.push_back(v.dtype());
    in_shapes.push_back(v.shape());
    values.push_back(ConstantValue(v));
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!node.output_type(i).shape.fully_known()) return 0;
    out_dtypes.push_back(node.output_type(i).dtype);
    out_shapes.push_back(node.output_type(i).shape);
  }
  if (node.op().name == "Attention") return AttentionFlops(in_shapes);
  ShapeContext context(node.op(), node.attrs(), in_dtypes, in_shapes, values,
                       out_dtypes, out_shapes);
  return node.op().cost(context);
}

}  // namespace sluice::nn
