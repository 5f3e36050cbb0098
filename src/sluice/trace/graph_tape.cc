#include "sluice/trace/graph_tape.h"

#include <optional>
#include <unordered_set>

#include "sluice/autodiff/call_twins.h"
#include "sluice/autodiff/flow_back.h"
#include "sluice/autodiff/gradients.h"
#include "sluice/autodiff/graph_grad_context.h"
#include "sluice/autodiff/rows_lost.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/rows.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/device_near.h"
#include "sluice/graph/node.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/passes/raise_for_gradients.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/grad_arrivals.h"
#include "sluice/trace/graph_reach.h"
#include "sluice/trace/inside_vmap.h"
#include "sluice/trace/kept_values.h"
#include "sluice/trace/memory_of.h"

namespace sluice {

namespace {

using front_internal::Building;

std::vector<Value> OutputsOf(Node& node) {
  std::vector<Value> outputs;
  for (int i = 0; i < node.num_outputs(); ++i) {
    outputs.push_back(node.output(i));
  }
  return outputs;
}

Region& RegionHere(Graph& graph) {
  const Building& building = Building::Current();
  return building.region ? *building.region : graph.root();
}

// Gradients by the op's own rule.
Result<std::vector<GradientValue>> ByRule(Graph& graph, Node& node,
                                          std::span<const Value> dy,
                                          const std::vector<bool>& wants) {
  GraphGradContext context(graph, node, dy, wants, RegionHere(graph));
  node.op().grad(context);
  SL_RETURN_IF_ERROR(context.status());
  std::vector<GradientValue> found;
  for (int i = 0; i < node.num_inputs(); ++i) {
    GradientValue g;
    if (Value v = context.gradient(i)) {
      if (Value rows = context.gradient_rows(i)) {
        g.indices = rows;
        g.values = v;
      } else {
        g.dense = v;
      }
    }
    found.push_back(g);
  }
  return found;
}

// Gradients of a conditional, a loop or a call, or of all nodes between.
Result<std::vector<GradientValue>> ByFlow(Graph& graph, Node* node,
                                          std::span<const Value> xs,
                                          std::span<const Value> ys,
                                          std::span<const Value> dy) {
  Region& region = RegionHere(graph);
  GradFlow flow(graph, region);
  if (!front_internal::InsideVmap()) flow.KeepRowsOfBranches();
  std::vector<Value> to(xs.begin(), xs.end());
  if (node) {
    std::unordered_set<Value, ValueHash> wanted(xs.begin(), xs.end());
    // Gradients built earlier may have added results to it.
    std::vector<Value> flows(dy.begin(), dy.end());
    flows.resize(static_cast<size_t>(node->num_outputs()));
    RegionGradient at{graph, region, *node, std::move(flows), wanted, flow};
    CallTwins::Scope twins(graph);
    Status status;
    switch (node->op().flow) {
      case Flow::kBranch:
        status = BranchGradient(at);
        break;
      case Flow::kLoop:
        status = LoopGradient(at);
        break;
      default:
        status = CallGradient(at);
    }
    SL_RETURN_IF_ERROR(status);
  } else {
    std::vector<Value> from, seeds;
    for (size_t i = 0; i < ys.size(); ++i) {
      if (!dy[i]) continue;
      from.push_back(ys[i]);
      seeds.push_back(dy[i]);
    }
    SL_RETURN_IF_ERROR(RaiseForGradients(graph, from, to));
    SL_RETURN_IF_ERROR(FlowBack({.graph = graph,
                                 .region = region,
                                 .ys = from,
                                 .xs = to,
                                 .seeds = seeds,
                                 .stop_at_xs = true},
                                flow));
  }
  std::vector<GradientValue> found;
  for (const Value& x : to) {
    SL_ASSIGN_OR_RETURN(GradientValue total, flow.TotalOrRows(x));
    found.push_back(total);
  }
  return found;
}

uint64_t MadeSoFar() {
  return Capture::Current() ? Capture::Current()->made() : 0;
}

Result<Value> ShapeOf(Graph& graph, const Value& x) {
  NodeOptions options;
  options.scope = "gradients";
  options.line = x.node->line();
  options.device = DeviceNear(x);
  SL_ASSIGN_OR_RETURN(
      Node * node, graph.Add(RegionHere(graph), "Shape", {&x, 1}, {}, options));
  return node->output();
}

}  // namespace

GraphTapeNode::GraphTapeNode(Graph& graph, Node& node, std::vector<Value> xs,
                             SourceLine line)
    : TapeNode(line),
      graph_(graph),
      node_(&node),
      xs_(std::move(xs)),
      ys_(OutputsOf(node)),
      name_(node.op().name),
      made_at_(MadeSoFar()) {}

GraphTapeNode::GraphTapeNode(Graph& graph, std::vector<Value> xs,
                             std::vector<Value> ys, std::string name,
                             SourceLine line)
    : TapeNode(line),
      graph_(graph),
      xs_(std::move(xs)),
      ys_(std::move(ys)),
      name_(std::move(name)),
      made_at_(MadeSoFar()) {}

void GraphTapeNode::Watch(Value value, std::string what, WriteLog& log) {
  watched_.push_back(
      {value, std::move(what), Ref<WriteLog>::Share(&log), log.count});
}

void GraphTapeNode::WrittenOver() {
  for (auto it = watched_.begin(); it != watched_.end(); ++it) {
    if (it->value != xs_[0]) continue;
    watched_.erase(it);
    return;
  }
}

bool GraphTapeNode::has_regions() const {
  return node_ && !node_->regions().empty();
}

bool GraphTapeNode::tells() const {
  if (!iteration_.empty()) return true;
  for (const std::vector<Through>& by_x : through_) {
    for (const Through& through : by_x) {
      if (through.when) return true;
    }
  }
  return false;
}

bool GraphTapeNode::PerhapsWritten(const Watched& watched) const {
  Capture* capture = Capture::Current();
  if (!capture || &capture->graph() != &graph_) return false;
  EagerRef owner = capture->OwnerOf(watched.value);
  return owner && owner->log == watched.log && MemoryOf(*owner).traced->unknown;
}

// Whether the nodes that the rule just added read overwritten elements.
Status GraphTapeNode::CheckUnwritten(int first_new) const {
  for (const Inside& in : inside_) {
    if (in.log->count == in.count) continue;
    return Unimplemented(front_internal::OverwrittenText(
        in.before, in.type, *in.log,
        StrCat(in.after, "; whether depends on the branch taken")));
  }
  for (const Watched& w : watched_) {
    const bool perhaps = w.log->count == w.count && PerhapsWritten(w);
    if (w.log->count == w.count && !perhaps) continue;
    for (const Node* user : w.value.node->users()) {
      if (user->id() < first_new || user->op().shape_only) continue;
      for (const Value& in : user->inputs()) {
        if (in != w.value) continue;
        if (perhaps) {
          return Unimplemented(StrCat(
              "[", name_, "] ", w.what, " (", w.value.type().ToString(),
              ") is needed for the gradient, but what may be the same memory "
              "was overwritten in place; whether it is depends on the branch "
              "taken"));
        }
        return FailedPrecondition(StrCat(
            "[", name_, "] ", w.what, " (", w.value.type().ToString(),
            ") is needed for the gradient, but was overwritten in place at ",
            w.log->last.ToString(), "; wanted it as it was at ",
            line().ToString(), ": write out of place, or to a clone()"));
      }
    }
  }
  return OkStatus();
}

namespace {

// Whether gradients flow through a gradient.
enum class Flowing : uint8_t { kNever, kSometimes, kAlways };

// The incoming gradients of a call, and in which runs each exists.
using FlowedIn = std::vector<std::pair<Value, FlowWhen>>;

// Tells the node which of `from` each of `made` depends on, as a tape that
// recorded the rule's own calls would know.
Result<std::vector<Flowing>> SayThrough(GraphTapeNode& way, Graph& graph,
                                        const std::vector<Value>& from,
                                        const FlowedIn& flows,
                                        const std::vector<Value>& made) {
  front_internal::SavedBuilding saved;
  std::optional<MutexLock> lock;
  if (Building::Current().locked != &graph) lock.emplace(graph.mu());
  // Lanes of a vmap take several paths at once.
  GraphReach reach(graph, from, /*tells=*/!front_internal::InsideVmap());
  for (const auto& [flow, when] : flows) {
    reach.AddFlow(flow, {.always = when.always, .any = when.any});
  }
  std::vector<Flowing> flowing(made.size(), Flowing::kNever);
  for (size_t k = 0; k < made.size(); ++k) {
    if (!made[k]) continue;
    SL_ASSIGN_OR_RETURN(GraphReach::Sources sources, reach.Of(made[k]));
    std::vector<GraphTapeNode::Through> by_x(from.size(), {.never = true});
    GraphReach::Truth any;
    for (const auto& [i, truth] : sources) {
      if (i == GraphReach::kFlow) continue;
      GraphTapeNode::Through& through = by_x[static_cast<size_t>(i)];
      through.never = false;
      any.always = any.always || truth.always;
      if (truth.always) continue;
      SL_ASSIGN_OR_RETURN(through.when,
                          reach.AnyOf(truth.any, RegionHere(graph)));
      any.any.push_back(through.when);
    }
    way.SetThrough(k, std::move(by_x));
    if (any.always) {
      flowing[k] = Flowing::kAlways;
    } else if (!any.any.empty()) {
      flowing[k] = Flowing::kSometimes;
      SL_ASSIGN_OR_RETURN(Value when, reach.AnyOf(any.any, RegionHere(graph)));
      way.SetWhen(k, when);
    }
  }
  return flowing;
}

// The history of computed gradients, which makes them differentiable. Without a
// node, no gradient flows.
struct GradientWay {
  Ref<GraphTapeNode> node;
  std::vector<Value> made;
  std::vector<Flowing> flowing;
};

// The values that gradients depend on: the inputs of their node, its results,
// and the incoming gradients.
struct WayBack {
  std::vector<Value> from;
  std::vector<TapeEdge> to;

  void Add(const Value& v, TapeEdge edge) {
    if (!edge || !v || !CarriesGradient(v.dtype())) return;
    for (const Value& known : from) {
      if (known == v) return;
    }
    from.push_back(v);
    to.push_back(std::move(edge));
  }

  Result<GradientWay> Make(Capture& capture, const FlowedIn& flows,
                           const std::vector<GradientValue>& found,
                           const std::string& name, const SourceLine& line) {
    GradientWay way;
    for (const GradientValue& g : found) {
      way.made.push_back(g.rows() ? g.values : g.dense);
    }
    if (from.empty()) return way;
    Graph& graph = capture.graph();
    way.node = MakeRef<GraphTapeNode>(graph, from, way.made, name, line);
    for (TapeEdge& edge : to) way.node->edges.push_back(std::move(edge));
    way.node->SetDepth();
    SL_ASSIGN_OR_RETURN(way.flowing,
                        SayThrough(*way.node, graph, from, flows, way.made));
    for (const Flowing& f : way.flowing) {
      if (f == Flowing::kSometimes) capture.NoteMerged();
    }
    return way;
  }
};

}  // namespace

void GraphTapeNode::Drop() {
  Capture* capture = Capture::Current();
  if (capture && &capture->graph() == &graph_ &&
      capture->InLoopSince(made_at_)) {
    throw Error(Unimplemented(
        StrCat("[", name_,
               "] backward in a loop gives up what a call before the loop "
               "kept, so that the second iteration fails; wanted "
               "retain_graph")));
  }
  dropped_ = true;
}

Status GraphTapeNode::Backward(std::span<const EagerRef> dy, bool record,
                               std::span<EagerRef> dx) {
  Capture* capture = Capture::Current();
  if (!capture || &capture->graph() != &graph_) {
    return FailedPrecondition(
        StrCat("[", name_,
               "] is part of a captured function whose recording is over"));
  }
  if (dropped_) return UsedUp(name_);
  if (xs_.empty()) return OkStatus();  // the leaves ended with a region
  if (node_) capture->ForgetCalls(*node_);
  GradArrivals* arrivals = GradArrivals::OfRun(*capture);
  if (arrivals) arrivals->CheckSeen(*this);
  std::vector<Value> flows;
  for (const EagerRef& g : dy) {
    flows.push_back(g ? capture->Now(*g) : Value());
  }
  std::vector<GradientValue> found;
  std::vector<Value> shapes(xs_.size());
  RowsLost lost;
  {
    front_internal::SavedBuilding saved;
    std::optional<MutexLock> lock;
    if (Building::Current().locked != &graph_) lock.emplace(graph_.mu());
    Building::Current().locked = &graph_;
    int first_new = graph_.id_limit();
    if (node_ && node_->op().flow == Flow::kNone) {
      std::vector<bool> wants;
      for (const TapeEdge& edge : edges) {
        wants.push_back(static_cast<bool>(edge));
      }
      SL_ASSIGN_OR_RETURN(found, ByRule(graph_, *node_, flows, wants));
    } else {
      SL_ASSIGN_OR_RETURN(found, ByFlow(graph_, node_, xs_, ys_, flows));
    }
    SL_RETURN_IF_ERROR(CheckUnwritten(first_new));
    for (size_t i = 0; i < found.size(); ++i) {
      if (!edges[i]) continue;
      if (edges[i].leaf && found[i].dense && lost.Has(xs_[i])) {
        return Unimplemented(StrCat(
            "backward: whether the gradient of ", edges[i].leaf->Describe(),
            ", is sparse depends on the branch taken, which a captured "
            "function does not know while it is recorded; wanted rows alone, "
            "or none, on every way"));
      }
      if (!found[i].rows()) continue;
      shapes[i] = found[i].shape;
      if (shapes[i]) continue;
      SL_ASSIGN_OR_RETURN(shapes[i], ShapeOf(graph_, xs_[i]));
    }
  }
  GradientWay way;
  if (record) {
    WayBack back;
    for (size_t i = 0; i < xs_.size(); ++i) back.Add(xs_[i], edges[i]);
    for (size_t i = 0; i < ys_.size(); ++i) {
      back.Add(ys_[i], {Ref<TapeNode>::Share(this), static_cast<int>(i), {}});
    }
    FlowedIn in;
    bool open = false;
    for (size_t i = 0; i < dy.size(); ++i) {
      if (!dy[i]) continue;
      back.Add(flows[i], EdgeTo(*dy[i]));
      FlowWhen when{.always = true};
      if (arrivals) when = arrivals->At(*this, static_cast<int>(i));
      open = open || when.open();
      in.emplace_back(flows[i], std::move(when));
    }
    if (!open) in.clear();
    SL_ASSIGN_OR_RETURN(
        way, back.Make(*capture, in, found, StrCat("the gradient of ", name_),
                       line()));
  }
  for (size_t i = 0; i < found.size(); ++i) {
    const GradientValue& g = found[i];
    if (!g || !edges[i]) continue;
    auto enter = [&](const Value& v) -> EagerRef {
      for (size_t k = 0; k < dy.size(); ++k) {
        if (flows[k] == v) return dy[k];
      }
      TapeEdge edge;
      if (way.node && v == way.made[i] && way.flowing[i] != Flowing::kNever) {
        edge = {way.node, static_cast<int>(i), {}};
      }
      return capture->Make(v, line(), edge, /*tainted=*/true);
    };
    if (g.rows()) {
      EagerRef values = enter(g.values);
      dx[i] = MakeRows(capture->Make(g.indices, line(), {}, false),
                       std::move(values), *capture, shapes[i], xs_[i].type());
    } else {
      dx[i] = enter(g.dense);
    }
  }
  return OkStatus();
}

bool OutsideTapeNode::LeadsTo(const EagerValue& outside) const {
  if (!before) return false;
  std::vector<const TapeNode*> open{before.get()};
  std::unordered_set<const TapeNode*> seen(open.begin(), open.end());
  while (!open.empty()) {
    const TapeNode* node = open.back();
    open.pop_back();
    if (outside.producer.get() == node) return true;
    for (const TapeEdge& edge : node->edges) {
      if (edge.leaf.get() == &outside) return true;
      if (edge.node && seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
    }
  }
  return false;
}

Status OutsideTapeNode::Backward(std::span<const EagerRef>, bool,
                                 std::span<EagerRef>) {
  if (before && before->dropped()) return UsedUp(before->name());
  return Unimplemented(
      StrCat("backward: gradients would flow to ", what_,
             ", which was computed before the captured function was called; "
             "wanted detach() of it, backward() after the call, or its "
             "computation inside"));
}

}  // namespace sluice
