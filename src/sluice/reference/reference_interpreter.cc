#include "sluice/reference/reference_interpreter.h"

#include "sluice/base/strings.h"
#include "sluice/graph/flow_rules.h"
#include "sluice/graph/region_checks.h"
#include "sluice/graph/traverse.h"
#include "sluice/launch/node_error.h"
#include "sluice/op/run_op.h"
#include "sluice/reference/interpret_observer.h"
#include "sluice/reference/reference_scope.h"
#include "sluice/reference/reference_tokens.h"

namespace sluice {

namespace {

using Scope = ReferenceScope;

using Arrays = Result<std::vector<Array>>;

class Interpreter {
 public:
  Interpreter(const StepContext& step, InterpretObserver* observer)
      : step_(step), observer_(observer) {}

  // `scope` contains the enclosing values and the place of the run.
  Arrays Run(const Region& region, const std::vector<Array>& args,
             Scope scope) {
    for (int i = 0; i < region.num_args(); ++i) {
      scope.values[region.arg(i)] = args[static_cast<size_t>(i)];
    }
    if (HasPrimitives(region)) {
      return InterpretTokens(
          region, scope, step_,
          [this](const Node& node, std::vector<Array>& inputs,
                 const Scope& at) { return Fire(node, inputs, at); },
          observer_);
    }
    SL_ASSIGN_OR_RETURN(std::vector<Node*> order,
                        TopologicalOrder(region, EffectEdges(region)));
    for (Node* node : order) {
      SL_RETURN_IF_ERROR(CheckCancelled());
      std::vector<Array> inputs;
      for (const Value& v : node->inputs()) inputs.push_back(scope.At(v));
      SL_ASSIGN_OR_RETURN(std::vector<Array> out, Fire(*node, inputs, scope));
      if (observer_) {
        SL_RETURN_IF_ERROR(observer_->After(*node, scope.place, out));
      }
      for (int i = 0; i < node->num_outputs(); ++i) {
        scope.values[node->output(i)] = out[static_cast<size_t>(i)];
      }
    }
    std::vector<Array> results;
    for (const Value& v : region.results()) results.push_back(scope.At(v));
    return results;
  }

  Arrays Fire(const Node& node, std::vector<Array>& inputs,
              const Scope& scope) {
    if (observer_) {
      SL_RETURN_IF_ERROR(observer_->Before(node, scope.place, inputs));
    }
    switch (node.op().flow) {
      case Flow::kBranch: {
        Result<size_t> taken = ChosenRegion(node, inputs[0]);
        if (!taken.ok()) return AtNode(taken.status(), node, inputs);
        return Run(*node.regions()[*taken], {},
                   {&scope, {}, scope.tag, scope.depth, scope.place});
      }
      case Flow::kLoop:
        return Loop(node, std::move(inputs), scope);
      case Flow::kFunction:
        return std::vector<Array>{Array::Handle({})};
      case Flow::kCall:
        return Call(node, std::move(inputs), scope);
      default:
        break;
    }
    NodeInfo info{node.name(), node.line(), node.key()};
    StepContext step = step_;
    step.tag = scope.tag;
    Arrays out = RunOp(node.op(), node.attrs(), inputs, &step, &info);
    if (!out.ok()) return AtNode(out.status(), node, inputs);
    return out;
  }

 private:
  Status CheckCancelled() const {
    bool cancelled = step_.cancellation && step_.cancellation->cancelled();
    return cancelled ? step_.cancellation->status() : OkStatus();
  }

  Arrays Loop(const Node& node, std::vector<Array> carried,
              const Scope& scope) {
    auto maximum = node.attrs().get<int64_t>("maximum");
    for (int64_t i = 0; i != maximum; ++i) {
      SL_RETURN_IF_ERROR(CheckCancelled());
      FlowPlace place{scope.place, &node, "", i};
      uint64_t tag =
          IterationTag(scope.tag, node.key(), static_cast<uint64_t>(i));
      auto run = [&](size_t region) {
        Arrays out = Run(*node.regions()[region], carried,
                         {&scope, {}, tag, scope.depth, &place});
        if (!out.ok()) out = InIteration(out.status(), node, i);
        return out;
      };
      SL_ASSIGN_OR_RETURN(std::vector<Array> pred, run(0));
      Result<bool> go = PredicateValue(pred[0]);
      if (!go.ok()) {
        return InIteration(AtNode(go.status(), node, pred), node, i);
      }
      if (!*go) break;
      SL_ASSIGN_OR_RETURN(carried, run(1));
    }
    return carried;
  }

  Arrays Call(const Node& node, std::vector<Array> inputs, const Scope& scope) {
    if (scope.depth >= kMaxCallsOnStack) {
      return AtNode(CallsTooDeep(node, kMaxCallsOnStack), node, inputs);
    }
    // The body sees the scope of the function, not that of the call.
    const Scope* home = &scope;
    while (home->outer && !home->values.count(node.input(0))) {
      home = home->outer;
    }
    inputs.erase(inputs.begin());
    FlowPlace place{scope.place, &node, "", 0};
    Arrays out = Run(*node.input(0).node->regions()[0], inputs,
                     {home,
                      {},
                      IterationTag(scope.tag, node.key(), 0),
                      scope.depth + 1,
                      &place});
    if (!out.ok()) return InCall(out.status(), node);
    return out;
  }

  const StepContext& step_;
  InterpretObserver* observer_;
};

}  // namespace

Result<std::vector<Array>> InterpretNode(const Node& node,
                                         std::span<const Value> around,
                                         std::span<const Array> values,
                                         const StepContext& step) {
  Scope scope{nullptr, {}, step.tag, 0, nullptr};
  for (size_t i = 0; i < around.size(); ++i) {
    scope.values[around[i]] = values[i];
  }
  std::vector<Array> inputs;
  for (const Value& v : node.inputs()) inputs.push_back(scope.At(v));
  return Interpreter(step, nullptr).Fire(node, inputs, scope);
}

Result<std::vector<Array>> Interpret(const Graph& graph,
                                     const std::vector<Array>& args,
                                     const StepContext& step,
                                     InterpretObserver* observer) {
  const Region& root = graph.root();
  if (args.size() != static_cast<size_t>(root.num_args())) {
    return InvalidArgument(StrCat("graph \"", graph.name(), "\" takes ",
                                  root.num_args(), " arguments, got ",
                                  args.size()));
  }
  SL_RETURN_IF_ERROR(CheckAllRegions(root));
  return Interpreter(step, observer)
      .Run(root, args, {nullptr, {}, step.tag, 0, nullptr});
}

}  // namespace sluice
