#include "sluice/autodiff/flow_back.h"

#include <algorithm>
#include <unordered_map>

#include "sluice/autodiff/call_twins.h"
#include "sluice/autodiff/graph_grad_context.h"
#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"

namespace sluice {

namespace {

// The control flow of a graph: values that regions return without a node that
// uses them, mapped to the nodes that own these regions.
struct Regions {
  std::unordered_multimap<Value, Node*, ValueHash> passed_on;
  bool any = false;

  explicit Regions(const Region& root) { Visit(root); }
  void Visit(const Region& region) {
    for (Node* node : region.nodes()) {
      for (const auto& inner : node->regions()) {
        any = true;
        for (const Value& v : inner->results()) {
          if (v.node->region() != inner.get()) passed_on.emplace(v, node);
        }
        Visit(*inner);
      }
    }
  }
};

// Nodes that depend on one of the xs through differentiable values. A node
// depends on the reads of its regions, a call on those of its function.
std::unordered_set<const Node*> Downstream(const Regions& regions,
                                           std::span<const Value> xs) {
  std::unordered_set<const Node*> seen;
  std::vector<Node*> open;
  auto reach = [&](Node* node) {
    for (; node && seen.insert(node).second; node = node->region()->owner()) {
      open.push_back(node);
    }
  };
  auto reach_calls = [&](Node* function) {
    for (Node* user : function->users()) {
      if (user->op().flow == Flow::kCall) reach(user);
    }
  };
  auto visit = [&](const Value& v) {
    for (Node* user : v.node->users()) {
      auto in = user->inputs();
      if (std::find(in.begin(), in.end(), v) != in.end()) reach(user);
    }
    auto [begin, end] = regions.passed_on.equal_range(v);
    for (auto it = begin; it != end; ++it) reach(it->second);
  };
  for (const Value& x : xs) visit(x);
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (node->op().flow == Flow::kFunction) reach_calls(node);
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (CarriesGradient(node->output(i))) visit(node->output(i));
    }
  }
  return seen;
}

// Reverse topological order. Ids increase in program order, unless loops have
// been extended since, or nodes were inserted.
void SortLastFirst(std::vector<Node*>& nodes, const Regions& regions,
                   const Region& region) {
  auto earlier = [](const Node* a, const Node* b) { return a->id() < b->id(); };
  std::span<Node* const> all = region.nodes();
  if (!regions.any && std::is_sorted(all.begin(), all.end(), earlier)) {
    std::sort(nodes.begin(), nodes.end(),
              [](Node* a, Node* b) { return a->id() > b->id(); });
    return;
  }
  std::unordered_map<const Node*, size_t> place;
  size_t next = 0;
  std::vector<const Region*> outwards;
  for (const Region* r = &region; r; r = r->parent()) outwards.push_back(r);
  for (auto it = outwards.rbegin(); it != outwards.rend(); ++it) {
    for (const Node* node : (*it)->nodes()) place[node] = next++;
  }
  std::sort(nodes.begin(), nodes.end(),
            [&](Node* a, Node* b) { return place.at(a) > place.at(b); });
}

class Flowing {
 public:
  Flowing(const FlowBackRequest& request, GradFlow& flow)
      : r_(request),
        flow_(flow),
        regions_(request.graph.root()),
        downstream_(Downstream(regions_, request.xs)),
        targets_(request.xs.begin(), request.xs.end()) {}

  Status Run() {
    for (size_t i = 0; i < r_.ys.size(); ++i) {
      if (r_.seeds[i]) flow_.Add(r_.ys[i], r_.seeds[i]);
    }
    std::vector<Node*> reached;
    std::unordered_set<const Node*> seen;
    auto reach = [&](Node* node) {
      if (downstream_.count(node) && MayPass(*node) &&
          seen.insert(node).second) {
        reached.push_back(node);
      }
    };
    for (const Value& y : r_.ys) {
      if (!EndsAt(y)) reach(y.node);
    }
    for (size_t i = 0; i < reached.size(); ++i) {
      for (const Value& v : Reads(*reached[i])) {
        if (CarriesGradient(v) && !EndsAt(v)) reach(v.node);
      }
    }
    SortLastFirst(reached, regions_, r_.region);
    for (Node* node : reached) SL_RETURN_IF_ERROR(Visit(*node));
    return OkStatus();
  }

 private:
  // A loop that contains the region where gradients are computed is skipped.
  bool MayPass(const Node& node) const {
    if (r_.inside) return node.region() == &r_.region;
    for (const Region* r = &r_.region; r; r = r->parent()) {
      if (r->owner() == &node) return false;
    }
    return node.region()->Encloses(&r_.region);
  }

  static std::vector<Value> Reads(const Node& node) {
    if (!node.regions().empty() || node.op().flow == Flow::kCall) {
      return InputsWithCaptures(node);
    }
    return {node.inputs().begin(), node.inputs().end()};
  }

  bool EndsAt(const Value& v) const {
    return r_.stop_at_xs && targets_.count(v);
  }

  bool Wanted(const Value& v) const {
    return CarriesGradient(v) &&
           (targets_.count(v) || downstream_.count(v.node));
  }

  // Applies the rule of one node, given the gradients of its outputs.
  Status Visit(Node& node) {
    std::vector<Value> dy;
    bool any = false;
    for (int i = 0; i < node.num_outputs(); ++i) {
      Value total;
      if (!EndsAt(node.output(i))) {
        SL_ASSIGN_OR_RETURN(total, flow_.Total(node.output(i)));
      }
      any = any || total;
      dy.push_back(total);
    }
    if (!any) return OkStatus();
    if (node.op().flow != Flow::kNone) return VisitFlow(node, std::move(dy));
    if (!node.op().grad) return CheckNoList(node);
    std::vector<bool> wants;
    for (const Value& v : node.inputs()) wants.push_back(Wanted(v));
    GraphGradContext context(r_.graph, node, dy, wants, r_.region);
    node.op().grad(context);
    if (!context.status().ok()) {
      return Status(
          context.status().code(),
          StrCat(context.status().message(),
                 "\n  in the gradient of this op\n  ", NodeLine(node)));
    }
    for (int i = 0; i < node.num_inputs(); ++i) {
      Value g = context.gradient(i);
      if (!g) continue;
      if (Value at = context.gradient_rows(i)) {
        flow_.AddRows(node.input(i), at, g);
      } else {
        flow_.Add(node.input(i), g);
      }
    }
    return OkStatus();
  }

  // Gradients that end at a list must not be dropped silently: report an error.
  Status CheckNoList(const Node& node) const {
    for (const Value& v : node.inputs()) {
      if (v.dtype() != DType::kList || !Wanted(v)) continue;
      return Unimplemented(
                 StrCat("[", node.op().name,
                        "] has no gradient, and a list flows into it"))
          .WithLine(NodeLine(node));
    }
    return OkStatus();
  }

  Status VisitFlow(Node& node, std::vector<Value> dy) {
    std::unordered_set<Value, ValueHash> wanted;
    for (const Value& v : InputsWithCaptures(node)) {
      if (Wanted(v)) wanted.insert(v);
    }
    RegionGradient at{r_.graph, r_.region, node, std::move(dy), wanted, flow_};
    switch (node.op().flow) {
      case Flow::kBranch:
        return BranchGradient(at);
      case Flow::kLoop:
        return LoopGradient(at);
      case Flow::kCall:
        return CallGradient(at);
      default:
        return Unimplemented(
                   StrCat("[", node.op().name,
                          "] gradients do not pass through primitives that "
                          "are no conditional or loop of the usual form; "
                          "wanted cond or while_loop"))
            .WithLine(NodeLine(node));
    }
  }

  const FlowBackRequest& r_;
  GradFlow& flow_;
  const Regions regions_;
  const std::unordered_set<const Node*> downstream_;
  const std::unordered_set<Value, ValueHash> targets_;
};

}  // namespace

Status FlowBack(const FlowBackRequest& request, GradFlow& flow) {
  CallTwins::Scope twins(request.graph);
  return Flowing(request, flow).Run();
}

}  // namespace sluice
