#include "sluice/graph/verifier.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/checked_when_run.h"
#include "sluice/graph/region_checks.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/registry.h"
#include "sluice/op/signature.h"

namespace sluice {

namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph) {}

  Status Run() {
    const Region& root = graph_.root();
    if (root.owner()) return Internal("the root region has an owner");
    SL_RETURN_IF_ERROR(Collect(root));
    if (num_nodes_ != graph_.num_nodes()) {
      return Internal(StrCat("the graph counts ", graph_.num_nodes(),
                             " nodes, its regions hold ", num_nodes_));
    }
    SL_RETURN_IF_ERROR(CheckRegion(root));
    return CheckUsers();
  }

 private:
  static Status Bad(const Node& node, std::string_view what) {
    return Internal(StrCat("[", node.op().name, "] ", what))
        .WithLine(NodeLine(node));
  }

  // Records every node of the graph with its position in its region.
  Status Collect(const Region& region) {
    Node* args = region.args_node();
    if (!args || !args->is_args() || args->region() != &region) {
      return Internal(StrCat("region ", region.label(),
                             " has no arguments of "
                             "its own"));
    }
    place_.emplace(args, -1);
    int place = 0;
    for (Node* node : region.nodes()) {
      if (node->region() != &region) {
        return Bad(*node, "is listed in a region it does not belong to");
      }
      if (!place_.emplace(node, place++).second) {
        return Bad(*node, "is listed twice");
      }
      if (node->id() < 0 || node->id() >= graph_.id_limit()) {
        return Bad(*node, StrCat("has id ", node->id(), "; wanted below ",
                                 graph_.id_limit()));
      }
      if (!ids_.emplace(node->id(), node).second) {
        return Bad(*node, StrCat("has id ", node->id(), " of another node"));
      }
      if (graph_.FindNode(node->name()) != node) {
        return Bad(*node, "is not found under its name");
      }
      ++num_nodes_;
      for (const auto& inner : node->regions()) {
        if (inner->owner() != node)
          return Bad(*node, "does not own its region");
        SL_RETURN_IF_ERROR(Collect(*inner));
      }
    }
    return OkStatus();
  }

  // True if `before` is in scope in `region` and above the position `from`
  // there. Sets `late_` if it is in scope but below: then only the search for
  // cycles can decide.
  bool InScope(const Node* before, const Region* region, const Node* from,
               bool control = false) {
    auto it = place_.find(before);
    if (it == place_.end() || !before->region()->Encloses(region)) return false;
    // The node of before's region that contains `from`.
    bool captured = false;
    while (from && from->region() != before->region()) {
      from = from->region()->owner();
      captured = true;
    }
    if (from == before) return IsOwnFunction(*before, region);
    if (from && it->second > place_[from]) {
      // The search does not follow control edges out of a region.
      if (control && captured) return false;
      late_ = true;
    }
    return true;
  }

  Status CheckValue(const Value& v, const Region* region, const Node* from,
                    const Node& reporter, std::string_view role) {
    if (!v || !InScope(v.node, region, from)) {
      return Bad(reporter, StrCat(role, " is not a value in scope"));
    }
    if (v.index < 0 || v.index >= v.node->num_outputs()) {
      return Bad(reporter, StrCat(role, " is output ", v.index,
                                  " of a node with ", v.node->num_outputs()));
    }
    return OkStatus();
  }

  Status CheckRegion(const Region& region) {
    const Node& reporter =
        region.owner() ? *region.owner() : *region.args_node();
    std::unordered_set<std::string_view> names;
    for (int i = 0; i < region.num_args(); ++i) {
      if (!names.insert(region.arg_name(i)).second) {
        return Bad(reporter, StrCat("two arguments are called \"",
                                    region.arg_name(i), "\""));
      }
      if (region.arg(i).dtype() == DType::kInvalid) {
        return Bad(reporter, StrCat("argument ", i, " has no dtype"));
      }
    }
    bool outer_late = std::exchange(late_, false);
    for (Node* node : region.nodes()) SL_RETURN_IF_ERROR(CheckNode(*node));
    if (late_) {
      Result<std::vector<Node*>> order = TopologicalOrder(region);
      if (!order.ok()) return order.status();
    }
    for (const Value& v : region.results()) {
      SL_RETURN_IF_ERROR(
          CheckValue(v, &region, region.owner(), reporter, "a result"));
    }
    for (const Node* target : region.targets()) {
      auto it = place_.find(target);
      if (it == place_.end() || target->region() != &region) {
        return Bad(reporter, "a target is not a node of its region");
      }
    }
    late_ = late_ || outer_late;
    return OkStatus();
  }

  Status CheckNode(Node& node) {
    if (FindOp(node.op().name) != &node.op()) {
      return Bad(node, "is not a registered op");
    }
    std::vector<DType> dtypes;
    std::vector<PartialShape> shapes;
    std::vector<const Array*> values;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Value& v = node.input(i);
      SL_RETURN_IF_ERROR(
          CheckValue(v, node.region(), &node, node, StrCat("input ", i)));
      uses_.emplace_back(v.node, &node);
      dtypes.push_back(v.dtype());
      shapes.push_back(v.shape());
      values.push_back(ConstantValue(v));
    }
    for (Node* control : node.controls()) {
      if (!control || control->is_args() ||
          !InScope(control, node.region(), &node, /*control=*/true)) {
        return Bad(node, "waits for a node that is not in scope");
      }
      uses_.emplace_back(control, &node);
    }
    SL_RETURN_IF_ERROR(CheckTypes(node, dtypes, shapes, values));
    if (!node.op().RegionCountOk(node.regions().size())) {
      return Bad(node, StrCat("has ", node.regions().size(),
                              " regions; wanted ", node.op().regions.size()));
    }
    for (size_t i = 0; i < node.regions().size(); ++i) {
      if (node.regions()[i]->label() != node.op().RegionLabel(i)) {
        return Bad(node,
                   StrCat("region ", i, " is \"", node.regions()[i]->label(),
                          "\"; wanted \"", node.op().RegionLabel(i), "\""));
      }
      SL_RETURN_IF_ERROR(CheckRegion(*node.regions()[i]));
    }
    return CheckRegions(node);
  }

  Status CheckTypes(const Node& node, const std::vector<DType>& dtypes,
                    const std::vector<PartialShape>& shapes,
                    const std::vector<const Array*>& values) {
    Result<ResolvedCall> call = ResolveCall(node.op(), node.attrs(), dtypes);
    if (!call.ok()) return call.status().WithLine(NodeLine(node));
    if (!(call->attrs == node.attrs())) {
      return Bad(node, "its attributes are not in the record's form");
    }
    if (call->out_dtypes.size() != static_cast<size_t>(node.num_outputs())) {
      return Bad(node, StrCat("has ", node.num_outputs(), " outputs; wanted ",
                              call->out_dtypes.size()));
    }
    Result<std::vector<PartialShape>> inferred = InferShapes(
        node.op(), node.attrs(), dtypes, shapes, values, call->out_dtypes);
    if (!inferred.ok() && CheckedWhenRun(node.op(), *node.region())) {
      inferred = std::vector<PartialShape>{StatedShape(node.attrs())};
    }
    if (!inferred.ok()) return inferred.status().WithLine(NodeLine(node));
    for (int i = 0; i < node.num_outputs(); ++i) {
      const ValueType& type = node.output_type(i);
      ValueType want{call->out_dtypes[static_cast<size_t>(i)],
                     (*inferred)[static_cast<size_t>(i)]};
      if (type.dtype != want.dtype || !type.shape.CompatibleWith(want.shape)) {
        return Bad(node, StrCat("output ", i, " is ", type, "; inference says ",
                                want));
      }
    }
    return OkStatus();
  }

  // The users that a node lists are exactly its uses, one entry each.
  Status CheckUsers() {
    std::vector<Use> listed;
    for (const auto& [node, place] : place_) {
      for (const Node* user : node->users()) listed.emplace_back(node, user);
    }
    std::sort(listed.begin(), listed.end());
    std::sort(uses_.begin(), uses_.end());
    if (listed == uses_) return OkStatus();
    auto [a, b] =
        std::mismatch(listed.begin(), listed.end(), uses_.begin(), uses_.end());
    const Node* node = a == listed.end() || (b != uses_.end() && *b < *a)
                           ? b->first
                           : a->first;
    return Bad(*node, "its list of users is wrong");
  }

  using Use = std::pair<const Node*, const Node*>;
  const Graph& graph_;
  int num_nodes_ = 0;
  std::unordered_map<const Node*, int> place_;
  std::unordered_map<int, const Node*> ids_;
  std::vector<Use> uses_;
  bool late_ = false;
};

}  // namespace

Status Verify(const Graph& graph) { return Verifier(graph).Run(); }

}  // namespace sluice
