#include "sluice/plan/lower_control_flow.h"

#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"
#include "sluice/plan/lowering.h"
#include "sluice/vm/bytecode.h"

namespace sluice {

namespace {

bool IsRegionOp(const Node& node) {
  return node.op().flow == Flow::kBranch || node.op().flow == Flow::kLoop ||
         node.op().flow == Flow::kCall;
}

}  // namespace

bool NeedsLowering(const Graph& graph, const WhyNotWhole& why) {
  for (const Node* node : graph.root().nodes()) {
    if (IsRegionOp(*node) && !why(*node).empty()) return true;
  }
  return false;
}

Result<Lowered> LowerControlFlow(const Graph& source, const WhyNotWhole& why) {
  return Lowering(source, why).Run();
}

Lowering::Lowering(const Graph& source, const WhyNotWhole& why)
    : source_(source),
      why_not_whole_(why),
      out_{std::make_unique<Graph>(source.name()), {}, {}, {}, {}, {}, {}},
      graph_(*out_.graph) {}

Result<Lowered> Lowering::Run() {
  const Region& from = source_.root();
  Region& root = graph_.root();
  Tracks tracks;
  Context& base = contexts_.emplace_back();
  base.region = &root;
  base.tracks = &tracks;
  for (int i = 0; i < from.num_args(); ++i) {
    SL_ASSIGN_OR_RETURN(
        base.values[from.arg(i)],
        graph_.AddArg(root, from.arg_name(i), from.arg(i).type()));
  }
  // Existing frames keep their names to themselves.
  for (const Node* node : from.nodes()) {
    if (node->op().flow != Flow::kEnter) continue;
    frame_names_[node->attrs().get<std::string>("frame")] = 1;
  }
  SL_RETURN_IF_ERROR(LowerRegion(base, from));
  for (const BackEdge& e : back_edges_) {
    SL_ASSIGN_OR_RETURN(Value v, Lookup(base, e.source));
    graph_.SetInput(*e.merge, e.input, v);
  }
  std::vector<Value> results;
  for (const Value& v : from.results()) {
    SL_ASSIGN_OR_RETURN(Value here, Lookup(base, v));
    results.push_back(here);
  }
  graph_.SetResults(root, std::move(results));
  return std::move(out_);
}

bool Lowering::Lowers(const Node& node) const {
  return !why_not_whole_(node).empty();
}

Status Lowering::LowerRegion(Context& ctx, const Region& region) {
  SL_ASSIGN_OR_RETURN(std::vector<Node*> order,
                      TopologicalOrder(region, EffectEdges(region)));
  for (Node* node : order) SL_RETURN_IF_ERROR(LowerNode(ctx, *node));
  return OkStatus();
}

Status Lowering::LowerNode(Context& ctx, Node& node) {
  home_[&node] = &ctx;
  if (node.op().flow == Flow::kFunction) return OkStatus();
  if (!IsRegionOp(node)) return CopyPlain(ctx, node);
  const Node* around = std::exchange(now_, &node);
  size_t begin = made_.size();
  Status status;
  if (!Lowers(node)) {
    status = CopyBytecode(ctx, node);
  } else if (node.op().flow == Flow::kBranch) {
    status = LowerBranch(ctx, node);
  } else if (node.op().flow == Flow::kLoop) {
    status = LowerLoop(ctx, node);
  } else {
    status = LowerCall(ctx, node);
  }
  stretch_[&node] = {begin, made_.size()};
  now_ = around;
  return status;
}

// ---- Nodes ----

NodeOptions Lowering::Here() const {
  NodeOptions options;
  if (now_) options.device = now_->device();
  return options;
}

Result<Node*> Lowering::Add(Context& ctx, std::string_view op,
                            const std::vector<Value>& inputs,
                            const Attrs& attrs, const Node* origin) {
  NodeOptions options = Here();
  for (const Value& v : inputs) {
    if (origin || v.node->device().empty()) continue;
    options.device = v.node->device();
    break;
  }
  if (origin) {
    options.name_hint = StrCat(origin->name(), ".", op);
    options.line = origin->line();
    options.device = origin->device();
  }
  SL_ASSIGN_OR_RETURN(Node * node,
                      graph_.Add(*ctx.region, op, inputs, attrs, options));
  if (origin) SetOrigin(ctx, *node, *origin);
  made_.emplace_back(node, ctx.tracks);
  return node;
}

void Lowering::SetOrigin(Context& ctx, const Node& lowered,
                         const Node& source) {
  out_.origins[&lowered] = {&source, ctx.calls};
}

Status Lowering::CopyPlain(Context& ctx, Node& node) {
  Graph::ValueMap map;
  Graph::NodeMap nodes;
  for (int i = 0; i < node.num_inputs(); ++i) {
    // A value carried around a raw loop does not exist yet; the Enter takes its
    // place.
    Value from =
        IsBackEdge(node, node.input(i)) ? node.input(0) : node.input(i);
    SL_ASSIGN_OR_RETURN(map[node.input(i)], Lookup(ctx, from));
  }
  // Values available everywhere are placed where everybody sees them: nested
  // functions become sibling functions.
  bool preset = node.num_inputs() == 0 && node.num_outputs() == 1 &&
                IsPreset(node.output(0));
  Region& region = preset ? graph_.root() : *ctx.region;
  Node* copy = graph_.CopyNode(node, region, map, nodes);
  made_.emplace_back(copy, ctx.tracks);
  SetOrigin(ctx, *copy, node);
  copies_[&node] = copy;
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (IsBackEdge(node, node.input(i))) {
      back_edges_.push_back({copy, i, node.input(i)});
    }
  }
  SL_RETURN_IF_ERROR(CopyControls(ctx, *copy, node));
  for (int i = 0; i < node.num_outputs(); ++i) {
    ctx.values[node.output(i)] = copy->output(i);
  }
  if (node.num_outputs() == 1 && IsPreset(copy->output(0))) {
    presets_[node.output(0)] = copy->output(0);
    return OkStatus();
  }
  SL_RETURN_IF_ERROR(GuardNode(ctx, *copy));
  Touch(ctx, *copy, node);
  return OkStatus();
}

Status Lowering::CopyBytecode(Context& ctx, Node& node) {
  SL_ASSIGN_OR_RETURN(Value none, NoFunction());
  BytecodePiece piece;
  piece.source = &node;
  std::vector<Value> inputs{none};
  for (const Value& v : InputsWithCaptures(node)) {
    if (piece.values.count(v)) continue;
    if (v.node->op().flow == Flow::kFunction) {
      piece.values[v] = none;
      continue;
    }
    SL_ASSIGN_OR_RETURN(Value here, Lookup(ctx, v));
    piece.values[v] = here;
    inputs.push_back(here);
  }
  Attrs attrs;
  std::vector<DType> dtypes;
  for (int i = 0; i < node.num_outputs(); ++i) {
    dtypes.push_back(node.output_type(i).dtype);
  }
  attrs.set("dtypes", dtypes);
  SL_ASSIGN_OR_RETURN(Node * copy, Add(ctx, "Call", inputs, attrs, &node));
  for (int i = 0; i < node.num_outputs(); ++i) {
    graph_.SetOutputShape(*copy, i, node.output_type(i).shape);
    ctx.values[node.output(i)] = copy->output(i);
  }
  out_.bytecodes[copy] = std::move(piece);
  SL_RETURN_IF_ERROR(CopyControls(ctx, *copy, node));
  SL_RETURN_IF_ERROR(GuardNode(ctx, *copy));
  Touch(ctx, *copy, node);
  return OkStatus();
}

// A control edge inside a frame is copied; one from an enclosing frame enters
// as a value. Waiting for a region op means waiting for all nodes emitted for
// it.
Status Lowering::CopyControls(Context& ctx, Node& copy, const Node& node) {
  for (Node* c : node.controls()) {
    auto home = home_.find(c);
    if (home == home_.end() || c->op().flow == Flow::kFunction) continue;
    Context& there = *home->second;
    Node* before = nullptr;
    if (auto laid = stretch_.find(c); laid != stretch_.end()) {
      SL_ASSIGN_OR_RETURN(Value go, True());
      SL_ASSIGN_OR_RETURN(go, Live(there, go));
      SL_ASSIGN_OR_RETURN(before, Pass(there, go));
      for (size_t i = laid->second.first; i < laid->second.second; ++i) {
        if (made_[i].second == there.tracks) {
          Order(*made_[i].first, *before, c->name());
        }
      }
    } else if (auto it = copies_.find(c); it != copies_.end()) {
      before = it->second;
    } else {
      continue;
    }
    if (there.tracks == ctx.tracks) {
      graph_.AddControl(copy, *before);
      continue;
    }
    SL_ASSIGN_OR_RETURN(Value go, True());
    SL_ASSIGN_OR_RETURN(go, Live(there, go));
    SL_ASSIGN_OR_RETURN(Node * token, Pass(there, go));
    graph_.AddControl(*token, *before);
    // Known under its own name, it is looked up like any outer value.
    Value key = token->output(0);
    there.values[key] = key;
    SL_ASSIGN_OR_RETURN(Value here, Lookup(ctx, key));
    graph_.AddControl(copy, *here.node);
  }
  return OkStatus();
}

}  // namespace sluice
