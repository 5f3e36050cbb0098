// A batching rule asked with nothing emitted says what it says when it runs:
// whether it serves, and which outputs have lanes. Tried for every op that has
// a rule, on its samples; nothing here knows an op by name.
// Labels: vmap
#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/batching/node_batch_context.h"
#include "sluice/batching/rule_forecast.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/registry.h"
#include "tests/sweep_cases.h"

namespace sluice {
namespace {

constexpr int64_t kLanes = 3;

// The op inside a function, to be batched in the region around it. Inputs that
// `mask` names have lanes.
struct OneNode {
  Graph graph;
  EmitState state{.graph = graph};
  Node* node = nullptr;
  std::vector<Value> inputs;

  OneNode(const OpRecord& op, const SweepCase& c, unsigned mask) {
    Node* function = *graph.Add(graph.root(), "Function", {}, {});
    Region& code = **graph.AddRegion(*function, "body");
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      const Array& x = c.inputs[i];
      bool batched = mask >> i & 1;
      // Shapes are known while building, as a rule.
      if (!batched && x.num_elements() <= 16) {
        inputs.push_back(
            (*graph.Add(graph.root(), "Const", {}, {{"value", x}}))->output());
      } else {
        inputs.push_back(
            *graph.AddArg(code, StrCat("x", i), {x.dtype(), x.shape()}));
      }
    }
    Result<Node*> made = graph.Add(code, op.name, inputs, c.attrs);
    if (made.ok()) node = *made;
  }

  BatchScope Scope(unsigned mask) {
    Emitter emit(state, graph.root());
    BatchScope scope(emit, emit.Ints({kLanes}));
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].node->is_args()) continue;
      bool batched = mask >> i & 1;
      ValueType type = inputs[i].type();
      if (batched) type.shape = WithLanes(type.shape, kLanes);
      Value outer = *graph.AddArg(graph.root(), StrCat("outer", i), type);
      scope.Set(inputs[i], {outer, batched});
    }
    return scope;
  }
};

TEST(BatchForecast, IsWhatTheRuleDoes) {
  int asked = 0;
  for (const OpRecord* op : AllOps()) {
    BatchFn rule = BatchRuleOf(*op);
    if (!rule || op->random || op->samples.empty()) continue;
    for (const SweepCase& c : CasesOf(*op)) {
      size_t count = c.inputs.size();
      if (!c.first || count == 0 || count > 8) continue;
      unsigned all = (1u << count) - 1;
      for (unsigned mask = 1; mask <= all; ++mask) {
        if (mask != all && (mask & (mask - 1)) != 0) continue;
        SCOPED_TRACE(StrCat(op->name, ", ", c.name, ", lanes in ", mask));
        OneNode one(*op, c, mask);
        if (!one.node) continue;
        BatchScope scope = one.Scope(mask);
        RuleForecast forecast(
            *one.node, [&](const Value& v) { return scope.FormOf(v); },
            [](const Value&) { return false; });
        NodeBatchContext context(scope, *one.node);
        bool served = rule(context);
        // More axes than there can be.
        if (!one.state.status.ok()) continue;
        ASSERT_TRUE(context.status().ok()) << context.status().ToString();
        EXPECT_EQ(forecast.serves(), served);
        for (int i = 0; served && i < one.node->num_outputs(); ++i) {
          EXPECT_EQ(forecast.output(i), context.output(i).form())
              << "output " << i;
        }
        ++asked;
      }
    }
  }
  EXPECT_GT(asked, 1000);
}

}  // namespace
}  // namespace sluice
