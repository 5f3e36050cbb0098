#include "sluice/executor/reference_interpreter.h"

#include "sluice/base/strings.h"
#include "sluice/executor/flow_rules.h"
#include "sluice/executor/node_error.h"
#include "sluice/executor/reference_scope.h"
#include "sluice/executor/reference_tokens.h"
#include "sluice/graph/region_checks.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/run_op.h"

namespace sluice {

namespace {

using Scope = ReferenceScope;

class Interpreter {
 public:
  explicit Interpreter(const StepContext& step) : step_(step) {}

  Result<std::vector<Array>> Run(const Region& region,
                                 const std::vector<Array>& args,
                                 const Scope* outer, uint64_t tag, int depth) {
    Scope scope{outer, {}, tag, depth};
    for (int i = 0; i < region.num_args(); ++i) {
      scope.values[region.arg(i)] = args[static_cast<size_t>(i)];
    }
    if (HasPrimitives(region)) {
      return InterpretTokens(
          region, scope, step_,
          [this](const Node& node, std::vector<Array>& inputs,
                 const Scope& at) { return Fire(node, inputs, at); });
    }
    SL_ASSIGN_OR_RETURN(std::vector<Node*> order,
                        TopologicalOrder(region, EffectEdges(region)));
    for (Node* node : order) {
      if (step_.cancellation && step_.cancellation->cancelled()) {
        return step_.cancellation->status();
      }
      std::vector<Array> inputs;
      for (const Value& v : node->inputs()) inputs.push_back(scope.At(v));
      SL_ASSIGN_OR_RETURN(std::vector<Array> out, Fire(*node, inputs, scope));
      for (int i = 0; i < node->num_outputs(); ++i) {
        scope.values[node->output(i)] = out[static_cast<size_t>(i)];
      }
    }
    std::vector<Array> results;
    for (const Value& v : region.results()) results.push_back(scope.At(v));
    return results;
  }

  Result<std::vector<Array>> Fire(const Node& node, std::vector<Array>& inputs,
                                  const Scope& scope) {
    switch (node.op().flow) {
      case Flow::kBranch: {
        Result<size_t> taken = ChosenRegion(node, inputs[0]);
        if (!taken.ok()) return AtNode(taken.status(), node, inputs);
        return Run(*node.regions()[*taken], {}, &scope, scope.tag, scope.depth);
      }
      case Flow::kLoop:
        return Loop(node, std::move(inputs), scope);
      case Flow::kFunction:
        return std::vector<Array>{Array::Handle({})};
      case Flow::kCall: {
        if (scope.depth >= kMaxCallDepth) {
          return AtNode(CallsTooDeep(node), node, inputs);
        }
        const Node* function = node.input(0).node;
        // The body sees what is around the function, not around the call.
        const Scope* home = &scope;
        while (home->outer && !home->values.count(node.input(0))) {
          home = home->outer;
        }
        inputs.erase(inputs.begin());
        return Run(*function->regions()[0], inputs, home,
                   IterationTag(scope.tag, node.key(), 0), scope.depth + 1);
      }
      default:
        break;
    }
    NodeInfo info{node.name(), node.line(), node.key()};
    StepContext step = step_;
    step.tag = scope.tag;
    Result<std::vector<Array>> out =
        RunOp(node.op(), node.attrs(), inputs, &step, &info);
    if (!out.ok()) return AtNode(out.status(), node, inputs);
    return out;
  }

 private:
  Result<std::vector<Array>> Loop(const Node& node, std::vector<Array> carried,
                                  const Scope& scope) {
    auto maximum = node.attrs().get<int64_t>("maximum");
    for (int64_t i = 0; i != maximum; ++i) {
      uint64_t tag =
          IterationTag(scope.tag, node.key(), static_cast<uint64_t>(i));
      auto run = [&](size_t region) {
        Result<std::vector<Array>> out =
            Run(*node.regions()[region], carried, &scope, tag, scope.depth);
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

  const StepContext& step_;
};

}  // namespace

Result<std::vector<Array>> InterpretNode(const Node& node,
                                         std::span<const Value> around,
                                         std::span<const Array> values,
                                         const StepContext& step) {
  Scope scope{nullptr, {}, step.tag, 0};
  for (size_t i = 0; i < around.size(); ++i) {
    scope.values[around[i]] = values[i];
  }
  std::vector<Array> inputs;
  for (const Value& v : node.inputs()) inputs.push_back(scope.At(v));
  return Interpreter(step).Fire(node, inputs, scope);
}

Result<std::vector<Array>> Interpret(const Graph& graph,
                                     const std::vector<Array>& args,
                                     const StepContext& step) {
  const Region& root = graph.root();
  if (args.size() != static_cast<size_t>(root.num_args())) {
    return InvalidArgument(StrCat("graph \"", graph.name(), "\" takes ",
                                  root.num_args(), " arguments, got ",
                                  args.size()));
  }
  SL_RETURN_IF_ERROR(CheckAllRegions(root));
  return Interpreter(step).Run(root, args, nullptr, step.tag, 0);
}

}  // namespace sluice
