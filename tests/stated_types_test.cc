// Every op in a graph that states too much of what it gives, or hides the
// values its shape function would like to see: the executors must give what the
// op gives by itself, or refuse; never read or write what was not planned for.
// The address sanitizer watches in `make asan`.
#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/plan/plan.h"
#include "sluice/step/step_pool.h"
#include "tests/sweep_cases.h"

namespace sluice {
namespace {

constexpr size_t kCasesPerOp = 40;

bool MayRun(const OpRecord& op) {
  return !op.handle && !op.structural && op.effect == Effect::kNone &&
         op.regions.empty() && !op.async() && op.global_effect.empty() &&
         !op.stateful;
}

Result<std::vector<Array>> RunBy(ExecutorChoice choice, const Graph& graph,
                                 const std::vector<Array>& args) {
  PlanOptions options;
  options.executor = choice;
  SL_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                      Plan::Build(graph.Clone(), options));
  std::unique_ptr<Step> step = AcquireStep(*plan);
  StepRequest request;
  request.step_id = 1;
  step->Begin(request);
  for (size_t i = 0; i < args.size(); ++i) {
    step->Feed(static_cast<int>(i), args[i]);
  }
  step->RunUntilQuiet();
  SL_RETURN_IF_ERROR(step->Finish());
  return std::vector<Array>(step->results().begin(), step->results().end());
}

// A shape that is larger than `shape`, of another rank for scalars.
PartialShape Larger(const Shape& shape, int64_t by) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  if (dims.empty()) dims.push_back(0);
  dims.back() += by;
  for (int64_t& d : dims) d = d == 0 ? by : d;
  return *PartialShape::Make(dims);
}

class StatedTypesOfOps : public testing::TestWithParam<std::string> {
 protected:
  const OpRecord& op() const { return *FindOp(GetParam()); }

  // The op over the graph's arguments, with readers that an island would take
  // together with it. `known`: the graph knows the shapes of its arguments.
  std::unique_ptr<Graph> Make(const SweepCase& c, bool known) {
    auto graph = std::make_unique<Graph>("stated");
    std::vector<Value> inputs;
    for (const Array& in : c.inputs) {
      PartialShape shape = known ? PartialShape(in.shape()) : PartialShape();
      auto arg = graph->AddArg(graph->root(), StrCat("x", inputs.size()),
                               ValueType{in.dtype(), shape});
      EXPECT_TRUE(arg.ok()) << arg.status().ToString();
      inputs.push_back(*arg);
    }
    auto node = graph->Add(graph->root(), op().name, inputs, c.attrs);
    EXPECT_TRUE(node.ok()) << node.status().ToString();
    node_ = node.ok() ? *node : nullptr;
    return graph;
  }

  // Reads every output of plain data once more: y where y == y, else y.
  void AddReaders(Graph& graph) {
    std::vector<Value> results;
    for (int i = 0; i < node_->num_outputs(); ++i) {
      Value y = node_->output(i);
      results.push_back(y);
      if (!kPlain.contains(y.dtype())) continue;
      auto same = graph.Add(graph.root(), "Equal", {{y, y}}, {});
      ASSERT_TRUE(same.ok()) << same.status().ToString();
      auto again =
          graph.Add(graph.root(), "Select", {{(*same)->output(), y, y}}, {});
      ASSERT_TRUE(again.ok()) << again.status().ToString();
      results.push_back((*again)->output());
    }
    graph.SetResults(graph.root(), results);
  }

  // Every result is what the op gave by itself.
  void ExpectRight(const std::vector<Array>& got,
                   const std::vector<Array>& want) {
    size_t at = 0;
    for (const Array& w : want) {
      size_t copies = kPlain.contains(w.dtype()) ? 2 : 1;
      for (size_t k = 0; k < copies; ++k, ++at) {
        ASSERT_LT(at, got.size());
        if (op().random) {
          EXPECT_EQ(got[at].TypeText(), w.TypeText());
        } else {
          EXPECT_TRUE(got[at].BitEquals(w))
              << got[at].ToString() << "\nwanted " << w.ToString();
        }
      }
    }
  }

  Node* node_ = nullptr;
};

TEST_P(StatedTypesOfOps, AreRightOrRefused) {
  size_t number = 0;
  for (const SweepCase& c : CasesOf(op())) {
    if (++number > kCasesPerOp) break;
    SCOPED_TRACE(c.name);
    StepContext context;
    context.step_id = 1;
    auto want = RunOp(op(), c.attrs, c.inputs, &context);
    if (!want.ok()) continue;  // the sweep's business
    // Hidden values: all shapes known, elements fed. And too large a claim, by
    // a little and by much, where nothing else contradicts it.
    for (int64_t by : {int64_t{0}, int64_t{1}, int64_t{1000}}) {
      auto graph = Make(c, /*known=*/by == 0);
      if (!node_) continue;
      bool lied = false;
      for (int i = 0; by > 0 && i < node_->num_outputs(); ++i) {
        PartialShape claim =
            Larger((*want)[static_cast<size_t>(i)].shape(), by);
        auto merged = MergeShapes(node_->output_type(i).shape, claim);
        if (!merged.ok() || !merged->fully_known()) continue;
        graph->SetOutputShape(*node_, i, *merged);
        lied = true;
      }
      if (by > 0 && !lied) continue;
      AddReaders(*graph);
      for (auto choice : {ExecutorChoice::kAuto, ExecutorChoice::kTape,
                          ExecutorChoice::kTokens}) {
        SCOPED_TRACE(
            StrCat("larger by ", by, ", executor ", static_cast<int>(choice)));
        auto got = RunBy(choice, *graph, c.inputs);
        if (got.ok()) {
          ExpectRight(*got, *want);
        } else {
          EXPECT_GT(by, 0) << got.status().ToString();
          EXPECT_NE(got.status().message().find("its type says"),
                    std::string::npos)
              << got.status().ToString();
        }
      }
    }
  }
}

std::vector<std::string> OpNames() {
  std::vector<std::string> names;
  for (const OpRecord* op : AllOps()) {
    if (!op->samples.empty() && MayRun(*op)) names.push_back(op->name);
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(Ops, StatedTypesOfOps, testing::ValuesIn(OpNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sluice
