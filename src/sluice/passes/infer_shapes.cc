#include "sluice/passes/infer_shapes.h"

#include "sluice/base/strings.h"
#include "sluice/op/signature.h"

namespace sluice {

namespace {

Result<bool> RefineNode(Graph& graph, Node& node) {
  std::vector<DType> dtypes, out_dtypes;
  std::vector<PartialShape> shapes;
  std::vector<const Array*> values;
  for (const Value& v : node.inputs()) {
    dtypes.push_back(v.dtype());
    shapes.push_back(v.shape());
    values.push_back(ConstantValue(v));
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    out_dtypes.push_back(node.output_type(i).dtype);
  }
  Result<std::vector<PartialShape>> inferred =
      InferShapes(node.op(), node.attrs(), dtypes, shapes, values, out_dtypes);
  if (!inferred.ok()) return inferred.status().WithLine(NodeLine(node));
  bool changed = false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    const PartialShape& known = node.output_type(i).shape;
    const PartialShape& found = (*inferred)[static_cast<size_t>(i)];
    Result<PartialShape> merged = MergeShapes(known, found);
    if (!merged.ok()) {
      return InvalidArgument(StrCat("[", node.op().name, "] output ", i, " is ",
                                    known, "; with the shapes fed it is ",
                                    found))
          .WithLine(NodeLine(node));
    }
    if (*merged == known) continue;
    graph.SetOutputShape(node, i, *merged);
    changed = true;
  }
  return changed;
}

Result<bool> RefineRegion(Graph& graph, Region& region) {
  bool changed = false;
  for (Node* node : region.nodes()) {
    SL_ASSIGN_OR_RETURN(bool here, RefineNode(graph, *node));
    changed = changed || here;
    for (const auto& inner : node->regions()) {
      SL_ASSIGN_OR_RETURN(bool inside, RefineRegion(graph, *inner));
      changed = changed || inside;
    }
  }
  return changed;
}

}  // namespace

Result<bool> RefineShapes(Graph& graph) {
  return RefineRegion(graph, graph.root());
}

}  // namespace sluice
