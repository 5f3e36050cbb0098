// Conditionals and calls. Part of the lowering.
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"
#include "sluice/plan/lowering.h"

namespace sluice {

namespace {

// Whether `region` calls `function`, directly or by way of others.
bool Calls(const Region& region, const Node& function,
           std::unordered_set<const Node*>& seen) {
  for (const Node* node : region.nodes()) {
    if (node->op().flow == Flow::kFunction) continue;
    for (const auto& inner : node->regions()) {
      if (Calls(*inner, function, seen)) return true;
    }
    if (node->op().flow != Flow::kCall) continue;
    const Node* called = node->input(0).node;
    if (called == &function) return true;
    if (called->regions().empty() || !seen.insert(called).second) continue;
    if (Calls(*called->regions()[0], function, seen)) return true;
  }
  return false;
}

bool IsRecursive(const Node& function) {
  std::unordered_set<const Node*> seen;
  return Calls(*function.regions()[0], function, seen);
}

}  // namespace

Status Lowering::LowerBranch(Context& ctx, Node& node) {
  SL_ASSIGN_OR_RETURN(Value chooser, LiveInput(ctx, node.input(0)));
  size_t count = node.regions().size();
  Node* choose = nullptr;
  if (chooser.dtype() == DType::kBool) {
    // The predicate under the conditional's own name, for errors.
    SL_ASSIGN_OR_RETURN(Node * pred, Pass(ctx, chooser));
    SetOrigin(ctx, *pred, node);
    chooser = pred->output(0);
  } else {
    Attrs attrs;
    attrs.set("branches", static_cast<int64_t>(count));
    attrs.set("has_default", node.attrs().get<bool>("has_default"));
    SL_ASSIGN_OR_RETURN(choose,
                        Add(ctx, "ChooseBranch", {chooser}, attrs, &node));
  }
  std::vector<std::vector<Value>> merged(
      static_cast<size_t>(node.num_outputs()));
  for (size_t k = 0; k < count; ++k) {
    Context& branch = contexts_.emplace_back();
    branch.kind = Context::kBranch;
    branch.parent = &ctx;
    branch.region = ctx.region;
    branch.tracks = ctx.tracks;
    branch.calls = ctx.calls;
    branch.pred = choose ? choose->output(static_cast<int>(k)) : chooser;
    branch.side = choose || k == 0;
    SL_RETURN_IF_ERROR(LowerRegion(branch, *node.regions()[k]));
    for (size_t i = 0; i < merged.size(); ++i) {
      SL_ASSIGN_OR_RETURN(Value result,
                          LiveInput(branch, node.regions()[k]->results()[i]));
      merged[i].push_back(result);
    }
  }
  for (size_t i = 0; i < merged.size(); ++i) {
    SL_ASSIGN_OR_RETURN(Node * merge, Add(ctx, "Merge", merged[i], {}, &node));
    int k = static_cast<int>(i);
    graph_.SetOutputShape(*merge, 0, node.output_type(k).shape);
    ctx.values[node.output(k)] = merge->output(0);
  }
  return OkStatus();
}

Status Lowering::LowerCall(Context& ctx, Node& node) {
  const Node& function = *node.input(0).node;
  if (function.op().flow != Flow::kFunction || function.regions().empty()) {
    return InvalidArgument(StrCat("[", node.op().name, "] calls \"",
                                  node.input(0).ToString(),
                                  "\", which is no function"))
        .WithLine(NodeLine(node));
  }
  const Region& body = *function.regions()[0];
  if (node.num_inputs() - 1 != body.num_args() ||
      static_cast<size_t>(node.num_outputs()) != body.results().size()) {
    return InvalidArgument(
               StrCat("[", node.op().name, "] gives ", node.num_inputs() - 1,
                      " arguments and wants ", node.num_outputs(),
                      " results; the function \"", function.name(), "\" takes ",
                      body.num_args(), " and gives ", body.results().size()))
        .WithLine(NodeLine(node));
  }
  if (IsRecursive(function)) return CallLifted(ctx, node, function);
  Context& call = contexts_.emplace_back();
  call.kind = Context::kCall;
  call.parent = &ctx;
  call.region = ctx.region;
  call.tracks = ctx.tracks;
  call.calls.push_back(&node);
  call.calls.insert(call.calls.end(), ctx.calls.begin(), ctx.calls.end());
  for (int i = 0; i < body.num_args(); ++i) {
    SL_ASSIGN_OR_RETURN(call.values[body.arg(i)],
                        Lookup(ctx, node.input(i + 1)));
  }
  SL_RETURN_IF_ERROR(LowerRegion(call, body));
  for (int i = 0; i < node.num_outputs(); ++i) {
    SL_ASSIGN_OR_RETURN(ctx.values[node.output(i)],
                        Lookup(call, body.results()[static_cast<size_t>(i)]));
  }
  return OkStatus();
}

Status Lowering::CallLifted(Context& ctx, Node& node, const Node& function) {
  SL_ASSIGN_OR_RETURN(Lifted * lifted, Lift(function));
  SL_ASSIGN_OR_RETURN(Value none, NoFunction());
  std::vector<Value> inputs{none};
  auto give = [&](const Value& v) -> Status {
    SL_ASSIGN_OR_RETURN(Value here, Lookup(ctx, v));
    inputs.push_back(here);
    return OkStatus();
  };
  for (const Value& v : node.inputs().subspan(1)) SL_RETURN_IF_ERROR(give(v));
  for (const Value& v : lifted->captures) SL_RETURN_IF_ERROR(give(v));
  Attrs attrs;
  std::vector<DType> dtypes;
  for (int i = 0; i < node.num_outputs(); ++i) {
    dtypes.push_back(node.output_type(i).dtype);
  }
  attrs.set("dtypes", dtypes);
  SL_ASSIGN_OR_RETURN(Node * copy, Add(ctx, "Call", inputs, attrs, &node));
  out_.callees[copy] = lifted->function;
  for (int i = 0; i < node.num_outputs(); ++i) {
    graph_.SetOutputShape(*copy, i, node.output_type(i).shape);
    ctx.values[node.output(i)] = copy->output(i);
  }
  SL_RETURN_IF_ERROR(CopyControls(ctx, *copy, node));
  SL_RETURN_IF_ERROR(GuardNode(ctx, *copy));
  Touch(ctx, *copy, node);
  return OkStatus();
}

Result<Lowering::Lifted*> Lowering::Lift(const Node& function) {
  Lifted& lifted = lifted_[&function];
  if (lifted.function) return &lifted;
  NodeOptions options;
  options.name_hint = function.name();
  options.line = function.line();
  options.device = function.device();
  SL_ASSIGN_OR_RETURN(lifted.function,
                      graph_.Add(graph_.root(), "Function", {}, {}, options));
  SL_ASSIGN_OR_RETURN(Region * region,
                      graph_.AddRegion(*lifted.function, "body"));
  const Region& body = *function.regions()[0];
  Context& base = contexts_.emplace_back();
  base.region = region;
  auto* tracks = new Tracks;
  tracks_.emplace_back(tracks);
  base.tracks = tracks;
  for (int i = 0; i < body.num_args(); ++i) {
    SL_ASSIGN_OR_RETURN(
        base.values[body.arg(i)],
        graph_.AddArg(*region, body.arg_name(i), body.arg(i).type()));
  }
  for (const Value& v : InputsWithCaptures(function)) {
    if (base.values.count(v) || IsPreset(v)) continue;
    lifted.captures.push_back(v);
    SL_ASSIGN_OR_RETURN(
        base.values[v],
        graph_.AddArg(*region, StrCat("captured.", lifted.captures.size()),
                      v.type()));
  }
  SL_RETURN_IF_ERROR(LowerRegion(base, body));
  std::vector<Value> results;
  for (const Value& v : body.results()) {
    SL_ASSIGN_OR_RETURN(Value here, Lookup(base, v));
    results.push_back(here);
  }
  graph_.SetResults(*region, std::move(results));
  return &lifted;
}

}  // namespace sluice
