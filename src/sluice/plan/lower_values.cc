// The location of values in the lowered graph, when they are alive, and the
// order of accesses to resources. Part of the lowering.
#include "sluice/base/strings.h"
#include "sluice/graph/check_order.h"
#include "sluice/plan/lowering.h"

namespace sluice {

bool Lowering::IsPreset(const Value& v) {
  const OpRecord& op = v.node->op();
  if (op.handle || op.flow == Flow::kFunction) return true;
  return v.node->controls().empty() && ConstantValue(v);
}

Result<Value> Lowering::Lookup(Context& ctx, const Value& v) {
  if (auto it = ctx.values.find(v); it != ctx.values.end()) return it->second;
  if (auto it = presets_.find(v); it != presets_.end()) return it->second;
  if (!ctx.parent) {
    return Internal(StrCat("\"", v.ToString(), "\" is used before it is made"));
  }
  SL_ASSIGN_OR_RETURN(Value outer, Lookup(*ctx.parent, v));
  if (IsPreset(outer)) return outer;
  Value here = outer;
  if (ctx.kind == Context::kBranch) {
    SL_ASSIGN_OR_RETURN(here, SwitchSide(ctx, outer, ctx.pred, ctx.side));
  } else if (ctx.kind == Context::kFrame) {
    // A loop in a body that does not run must not see values that are always
    // available.
    SL_ASSIGN_OR_RETURN(outer, Live(*ctx.parent, outer));
    Attrs attrs;
    attrs.set("frame", ctx.frame);
    attrs.set("constant", true);
    attrs.set("parallel", ctx.parallel);
    SL_ASSIGN_OR_RETURN(Node * enter,
                        Add(ctx, "Enter", {outer}, attrs, nullptr));
    here = enter->output(0);
  }
  ctx.values[v] = here;
  return here;
}

Lowering::Context& Lowering::Guard(Context& ctx) {
  Context* guard = &ctx;
  while (guard->kind == Context::kCall) guard = guard->parent;
  return *guard;
}

bool Lowering::Unguarded(Context& ctx, const Value& v) {
  if (IsPreset(v)) return true;
  return Guard(ctx).kind == Context::kBody &&
         v.node->op().flow == Flow::kEnter &&
         v.node->attrs().get<bool>("constant");
}

Result<Value> Lowering::Live(Context& ctx, const Value& v) {
  if (!Unguarded(ctx, v)) return v;
  Context& guard = Guard(ctx);
  switch (guard.kind) {
    case Context::kBranch:
    case Context::kBody:
      return SwitchSide(guard, v, guard.pred, guard.side);
    case Context::kFrame: {
      SL_ASSIGN_OR_RETURN(Node * pass, Pass(guard, v));
      graph_.AddControl(*pass, *guard.beat);
      return pass->output(0);
    }
    default:
      return v;
  }
}

Result<Value> Lowering::LiveInput(Context& ctx, const Value& source) {
  SL_ASSIGN_OR_RETURN(Value v, Lookup(ctx, source));
  return Live(ctx, v);
}

Result<Value> Lowering::SwitchSide(Context& ctx, const Value& v,
                                   const Value& pred, bool side) {
  Node*& node = switches_[{{v.node, v.index}, {pred.node, pred.index}}];
  if (!node) {
    SL_ASSIGN_OR_RETURN(node, Add(ctx, "Switch", {v, pred}, {}, nullptr));
    // The owner of the predicate, for errors.
    if (auto it = out_.origins.find(pred.node); it != out_.origins.end()) {
      out_.origins[node] = it->second;
    }
  }
  return node->output(side ? 1 : 0);
}

Result<Node*> Lowering::Pass(Context& ctx, const Value& v) {
  SL_ASSIGN_OR_RETURN(Node * pass, Add(ctx, "Identity", {v}, {}, nullptr));
  out_.passes.insert(pass);
  return pass;
}

Result<Node*> Lowering::Pivot(Context& ctx) {
  Context& guard = Guard(ctx);
  if (guard.pivot) return guard.pivot;
  if (guard.kind == Context::kFrame) return guard.beat;
  if (guard.kind == Context::kBase) return nullptr;
  SL_ASSIGN_OR_RETURN(Value side,
                      SwitchSide(guard, guard.pred, guard.pred, guard.side));
  SL_ASSIGN_OR_RETURN(guard.pivot, Pass(guard, side));
  return guard.pivot;
}

// A node without guarded inputs waits for the pivot.
Status Lowering::GuardNode(Context& ctx, Node& node) {
  for (const Value& v : node.inputs()) {
    if (!Unguarded(ctx, v)) return OkStatus();
  }
  SL_ASSIGN_OR_RETURN(Node * pivot, Pivot(ctx));
  if (pivot) graph_.AddControl(node, *pivot);
  return OkStatus();
}

Result<Value> Lowering::Constant(Array value) {
  Attrs attrs;
  attrs.set("value", std::move(value));
  SL_ASSIGN_OR_RETURN(Node * node,
                      graph_.Add(graph_.root(), "Const", {}, attrs, Here()));
  return node->output(0);
}

// The function operand of calls: the actual callee is stored separately, so
// that functions that call each other form no cycle.
Result<Value> Lowering::NoFunction() {
  if (!no_function_) {
    SL_ASSIGN_OR_RETURN(Node * none,
                        graph_.Add(graph_.root(), "Function", {}, {}, Here()));
    no_function_ = none->output(0);
  }
  return no_function_;
}

Result<Value> Lowering::True() {
  if (!true_) {
    SL_ASSIGN_OR_RETURN(true_, Constant(Array::Scalar(true)));
  }
  return true_;
}

// ---- Order ----

void Lowering::Order(Node& before, Node& after, const std::string& resource) {
  if (&before == &after) return;
  out_.order.push_back({&before, &after, resource});
}

void Lowering::Touch(Context& ctx, Node& lowered, const std::string& resource,
                     bool write) {
  Track& track = (*ctx.tracks)[resource];
  if (!write) {
    if (track.writer) Order(*track.writer, lowered, resource);
    track.readers.push_back(&lowered);
    return;
  }
  for (Node* reader : track.readers) Order(*reader, lowered, resource);
  if (track.writer && track.readers.empty()) {
    Order(*track.writer, lowered, resource);
  }
  track.writer = &lowered;
  track.readers.clear();
}

void Lowering::Touch(Context& ctx, Node& lowered, const Node& source) {
  if (!HasOrderedUses(source)) return;
  for (const ResourceUse& use : OrderedUses(source)) {
    // Checks alone may overlap.
    if (use.resource == kChecks && !WrittenAnywhere(use.resource)) continue;
    Touch(ctx, lowered, use.resource, use.write);
  }
}

bool Lowering::WrittenAnywhere(const std::string& resource) {
  if (!written_known_) {
    written_known_ = true;
    for (const Node* node : source_.root().nodes()) {
      for (const ResourceUse& use : ResourcesUsed(*node)) {
        bool& written = written_[use.resource];
        written = written || use.write;
      }
    }
    written_[std::string(kChecks)] = ChecksGuardState(source_.root());
  }
  return written_[resource];
}

}  // namespace sluice
