#include "sluice/launch/kernel_call.h"

namespace sluice {

std::unique_ptr<KnownShapes> KernelShapes(const Node& node) {
  const OpRecord& op = node.op();
  if (node.num_outputs() == 0 || op.dynamic_output || op.async()) {
    return nullptr;
  }
  std::vector<DType> dtypes, out_dtypes;
  std::vector<PartialShape> shapes;
  for (const Value& v : node.inputs()) {
    dtypes.push_back(v.dtype());
    shapes.push_back(v.shape());
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    out_dtypes.push_back(node.output_type(i).dtype);
  }
  return KnownShapes::Of(op, node.attrs(), dtypes, shapes, out_dtypes);
}

}  // namespace sluice
