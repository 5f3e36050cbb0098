#include "sluice/passes/constant_before.h"

namespace sluice {

Result<Value> ConstantBefore(Graph& graph, BatchEdit& edit, Node& place,
                             const Array& value, const Node& like) {
  NodeOptions options;
  options.name_hint = like.name();
  options.line = like.line();
  options.device = like.device();
  SL_ASSIGN_OR_RETURN(Node * constant, graph.Add(*place.region(), "Const", {},
                                                 {{"value", value}}, options));
  edit.InsertBefore(*constant, place);
  return constant->output();
}

}  // namespace sluice
