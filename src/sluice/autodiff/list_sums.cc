#include "sluice/autodiff/list_sums.h"

#include <algorithm>

#include "sluice/autodiff/inner_gradient.h"
#include "sluice/graph/role_of.h"

namespace sluice {

namespace {

bool AddsElements(const Node& node) {
  return RoleOf(node) == Role::kListAddAt || RoleOf(node) == Role::kListAddRows;
}

// The nodes that build `part` from zeros by adding elements, first to last;
// empty if it is computed otherwise.
std::vector<Node*> Additions(const Value& part) {
  std::vector<Node*> nodes;
  Node* node = part.node;
  for (; AddsElements(*node); node = node->input(0).node) {
    nodes.push_back(node);
  }
  if (RoleOf(*node) != Role::kListZero) return {};
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

Result<Value> AddListGradient(Graph& graph, Region& region, Value sum,
                              Value part) {
  std::vector<Node*> additions = Additions(part);
  for (Node* node : additions) {
    std::vector<Value> in(node->inputs().begin(), node->inputs().end());
    in[0] = sum;
    SL_ASSIGN_OR_RETURN(
        Node * added,
        AddBeside(graph, region, *node, node->op().name, in, node->attrs()));
    sum = added->output();
  }
  if (!additions.empty() || RoleOf(part) == Role::kListZero) return sum;
  Value in[] = {sum, part};
  SL_ASSIGN_OR_RETURN(Node * added,
                      AddBeside(graph, region, *part.node, "ListAdd", in));
  return added->output();
}

Result<Value> SumListGradients(Graph& graph, Region& region,
                               std::span<const Value> parts) {
  // Other parts come first, so that single elements can be added to them.
  Value sum;
  for (bool few : {false, true}) {
    for (const Value& part : parts) {
      if (Additions(part).empty() == few) continue;
      if (!sum) {
        sum = part;
        continue;
      }
      SL_ASSIGN_OR_RETURN(sum, AddListGradient(graph, region, sum, part));
    }
  }
  return sum;
}

}  // namespace sluice
