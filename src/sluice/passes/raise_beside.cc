#include "sluice/passes/raise_beside.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/role_of.h"
#include "sluice/graph/traverse.h"
#include "sluice/passes/may_move.h"
#include "sluice/passes/raise_control_flow.h"

namespace sluice {

namespace {

using Nodes = std::unordered_set<const Node*>;

const Node* FirstPrimitive(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (IsPrimitive(*node)) return node;
    for (const auto& inner : node->regions()) {
      if (const Node* found = FirstPrimitive(*inner)) return found;
    }
  }
  return nullptr;
}

Status Unusual(const Node& node) {
  return Unimplemented(
             StrCat("[", node.op().name,
                    "] gradients pass through primitives only where they have "
                    "the form of a conditional or a loop; wanted cond or "
                    "while_loop"))
      .WithLine(NodeLine(node));
}

// Found again by its name.
std::string StandInName(const Value& v) {
  return StrCat(v.node->name(), "/raised");
}

// Raises one part of a region next to itself.
class Raising {
 public:
  Raising(Graph& graph, Region& region, const RawPart& part)
      : graph_(graph),
        region_(region),
        part_(part),
        own_(part.nodes.begin(), part.nodes.end()) {}

  // Adds a stand-in, which others read, for every value that leaves the part.
  Status Run() {
    SL_RETURN_IF_ERROR(Check());
    if (!RaisedBeside(graph_, part_)) SL_RETURN_IF_ERROR(Raise());
    for (const Value& v : part_.leaving) Rewire(v, RaisedStandIn(graph_, v));
    return OkStatus();
  }

 private:
  Status Raise() {
    SL_RETURN_IF_ERROR(Copy());
    SL_RETURN_IF_ERROR(RaiseControlFlow(copy_).status());
    if (const Node* left = FirstPrimitive(copy_.root())) return Unusual(*left);
    SL_RETURN_IF_ERROR(CopyBack());
    auto results = copy_.root().results();
    for (size_t i = 0; i < results.size(); ++i) {
      const Value &leaving = part_.leaving[i], &raised = back_.at(results[i]);
      SL_RETURN_IF_ERROR(CheckPlace(leaving, raised));
      if (RaisedStandIn(graph_, leaving)) continue;
      NodeOptions options;
      options.name = StandInName(leaving);
      options.line = leaving.node->line();
      options.device = leaving.node->device();
      SL_ASSIGN_OR_RETURN(Node * made, graph_.Add(region_, "Identity",
                                                  {&raised, 1}, {}, options));
      PutBelow(*made);
    }
    return OkStatus();
  }

  Status Check() const {
    for (const Node* node : part_.nodes) {
      if (IsPrimitive(*node) || !HasEffect(*node)) continue;
      return Unimplemented(
                 StrCat("[", node->op().name,
                        "] has an effect among primitives that gradients pass "
                        "through; wanted cond or while_loop around it"))
          .WithLine(NodeLine(*node));
    }
    if (part_.leaving.empty()) return Unusual(*part_.nodes.front());
    return OkStatus();
  }

  // Copies the part to a separate graph. Its inputs become arguments, except
  // constants, which belong to every frame.
  Status Copy() {
    Graph::NodeMap nodes;
    for (const Node* node : part_.nodes) {
      for (const Value& v : InputsWithCaptures(*node)) {
        if (own_.count(v.node) || there_.count(v)) continue;
        if (ConstantValue(v)) {
          copy_.CopyNode(*v.node, copy_.root(), there_, nodes);
        } else {
          SL_ASSIGN_OR_RETURN(
              there_[v],
              copy_.AddArg(copy_.root(), StrCat("a", there_.size()), v.type()));
        }
        back_[there_.at(v)] = v;
      }
      copy_.CopyNode(*node, copy_.root(), there_, nodes);
    }
    std::vector<Value> results;
    for (const Value& v : part_.leaving) results.push_back(there_.at(v));
    copy_.SetResults(copy_.root(), std::move(results));
    return OkStatus();
  }

  // The position in the region of the node or of the one that contains it; -1
  // if it is outside.
  int PlaceOf(const Node* node) const {
    while (node && node->region() != &region_) node = node->region()->owner();
    if (!node || node->is_args()) return -1;
    auto nodes = region_.nodes();
    return static_cast<int>(std::find(nodes.begin(), nodes.end(), node) -
                            nodes.begin());
  }

  // Places each node right below its inputs.
  Status CopyBack() {
    Graph::NodeMap nodes;
    for (Node* node : copy_.root().nodes()) {
      if (back_.count(Value{node, 0})) continue;  // a constant
      PutBelow(*graph_.CopyNode(*node, region_, back_, nodes));
    }
    return OkStatus();
  }

  void PutBelow(Node& made) {
    int last = -1;
    for (const Value& v : InputsWithCaptures(made)) {
      last = std::max(last, PlaceOf(v.node));
    }
    Node* below = region_.nodes()[static_cast<size_t>(last + 1)];
    if (below != &made) graph_.MoveBefore(made, *below);
  }

  Status CheckPlace(const Value& from, const Value& to) const {
    int at = PlaceOf(to.node);
    for (const Node* user : from.node->users()) {
      int place = PlaceOf(user);
      if (place >= 0 && place <= at && !Own(user)) return Unusual(*from.node);
    }
    return OkStatus();
  }

  bool Own(const Node* node) const {
    while (node && node->region() != &region_) node = node->region()->owner();
    return node && own_.count(node);
  }

  void Rewire(const Value& from, const Value& to) {
    std::vector<Node*> users(from.node->users().begin(),
                             from.node->users().end());
    for (Node* user : users) {
      if (Own(user)) continue;
      for (int i = 0; i < user->num_inputs(); ++i) {
        if (user->input(i) == from) graph_.SetInput(*user, i, to);
      }
    }
    RewireResults(region_, from, to);
  }

  void RewireResults(Region& region, const Value& from, const Value& to) {
    std::vector<Value> results(region.results().begin(),
                               region.results().end());
    std::replace(results.begin(), results.end(), from, to);
    graph_.SetResults(region, std::move(results));
    for (Node* node : region.nodes()) {
      if (own_.count(node)) continue;
      for (const auto& inner : node->regions()) {
        RewireResults(*inner, from, to);
      }
    }
  }

  Graph& graph_;
  Region& region_;
  const RawPart& part_;
  const Nodes own_;
  Graph copy_;
  Graph::ValueMap there_, back_;  // from the graph to the copy; from there
};

}  // namespace

Value RaisedStandIn(const Graph& graph, const Value& v) {
  if (!IsPrimitive(*v.node) || v.index != 0) return {};
  Node* node = graph.FindNode(StandInName(v));
  bool fits = node && RoleOf(*node) == Role::kIdentity &&
              node->region() == v.node->region();
  return fits ? node->output() : Value();
}

bool RaisedBeside(const Graph& graph, const RawPart& part) {
  return !part.leaving.empty() &&
         std::all_of(part.leaving.begin(), part.leaving.end(),
                     [&](const Value& v) { return !!RaisedStandIn(graph, v); });
}

Status RaiseBeside(Graph& graph, Region& region, const RawPart& part) {
  return Raising(graph, region, part).Run();
}

}  // namespace sluice
