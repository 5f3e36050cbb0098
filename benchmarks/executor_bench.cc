// The executor's own costs: firings, tape ops, steps, statistics, fusion,
// memory. Everything runs on the plans and steps users get.
#include <memory>
#include <vector>

#include "benchmarks/bench.h"
#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/plan/plan.h"
#include "sluice/session/local_master.h"
#include "sluice/step/step_pool.h"

namespace sluice::bench {
namespace {

Node* Add(Graph& g, std::string_view op, std::vector<Value> inputs,
          std::vector<Node*> controls = {}) {
  NodeOptions options;
  options.controls = std::move(controls);
  return g.Add(g.root(), op, inputs, {}, options).value();
}

std::shared_ptr<const Plan> MustPlan(std::unique_ptr<Graph> graph,
                                     ExecutorChoice executor,
                                     bool fuse = true) {
  PlanOptions options;
  options.executor = executor;
  options.fuse = fuse;
  return Plan::Build(std::move(graph), options).value();
}

void RunStep(const Plan& plan, const std::vector<Array>& feeds,
             WorkerPool* pool, StepStats* stats = nullptr) {
  std::unique_ptr<Step> step = AcquireStep(plan);
  StepRequest request;
  request.pool = pool;
  request.stats = stats;
  step->Begin(request);
  for (size_t i = 0; i < feeds.size(); ++i)
    step->Feed(static_cast<int>(i), feeds[i]);
  step->RunUntilQuiet();
  Status status = step->Finish();
  SL_CHECK(status.ok());
  ReleaseStep(plan, std::move(step));
}

// Graphs of NoOps joined by control edges.
std::unique_ptr<Graph> NullChain(int n) {
  auto g = std::make_unique<Graph>("chain");
  Node* last = nullptr;
  for (int i = 0; i < n; ++i) {
    last = Add(*g, "NoOp", {},
               last ? std::vector<Node*>{last} : std::vector<Node*>{});
  }
  return g;
}

std::unique_ptr<Graph> NullFan(int n) {
  auto g = std::make_unique<Graph>("fan");
  Node* source = Add(*g, "NoOp", {});
  std::vector<Node*> middle;
  for (int i = 0; i < n - 2; ++i)
    middle.push_back(Add(*g, "NoOp", {}, {source}));
  Add(*g, "NoOp", {}, middle);
  return g;
}

std::unique_ptr<Graph> NullDiamonds(int n) {
  auto g = std::make_unique<Graph>("diamonds");
  Node* top = Add(*g, "NoOp", {});
  for (int i = 1; i + 3 <= n; i += 3) {
    Node* left = Add(*g, "NoOp", {}, {top});
    Node* right = Add(*g, "NoOp", {}, {top});
    top = Add(*g, "NoOp", {}, {left, right});
  }
  return g;
}

SL_BENCH(executor, token_null_ops, "firings of NoOps on the token machine") {
  WorkerPool two(2);
  struct Case {
    const char* name;
    std::unique_ptr<Graph> (*make)(int);
  };
  for (const Case& c : {Case{"chain", NullChain}, Case{"fan", NullFan},
                        Case{"diamonds", NullDiamonds}}) {
    for (int n : {100'000, 1'000'000}) {
      auto plan = MustPlan(c.make(n), ExecutorChoice::kTokens);
      auto nodes = static_cast<double>(plan->nodes().size());
      auto best = Best(report.rounds, {[&] { RunStep(*plan, {}, nullptr); },
                                       [&] { RunStep(*plan, {}, &two); }});
      for (int threads : {1, 2}) {
        report.Line("token_null_ops",
                    nodes / best[static_cast<size_t>(threads - 1)] * 1e-6,
                    "million/s",
                    {{"graph", c.name},
                     {"nodes", StrCat(n)},
                     {"threads", StrCat(threads)}},
                    AtLeast(12));
      }
      report.Line("token_two_threads", best[0] / best[1], "ratio",
                  {{"graph", c.name}, {"nodes", StrCat(n)}}, AtLeast(0.95));
    }
  }
}

std::unique_ptr<Graph> ChainOf(int n, const Shape& shape,
                               const std::vector<std::string>& ops) {
  auto g = std::make_unique<Graph>("chain");
  Value x = g->AddArg(g->root(), "x", {DType::kF32, shape}).value();
  Value c = g->AddArg(g->root(), "c", {DType::kF32, Shape()}).value();
  for (int i = 0; i < n; ++i) {
    const std::string& op = ops[static_cast<size_t>(i) % ops.size()];
    bool binary = op == "Add" || op == "Mul" || op == "Sub" || op == "Maximum";
    x = Add(*g, op, binary ? std::vector<Value>{x, c} : std::vector<Value>{x})
            ->output();
  }
  g->SetResults(g->root(), {x});
  return g;
}

SL_BENCH(executor, tape_scalar_ops, "dependent scalar adds on a tape") {
  for (int n : {1000, 100'000}) {
    auto plan = MustPlan(ChainOf(n, Shape(), {"Add"}), ExecutorChoice::kAuto);
    std::vector<Array> feeds = {Array::Scalar(1.0f), Array::Scalar(0.5f)};
    int repeat = 1'000'000 / n;
    auto best = Best(report.rounds, {[&] {
                       for (int i = 0; i < repeat; ++i)
                         RunStep(*plan, feeds, nullptr);
                     }});
    report.Line("tape_scalar_ops",
                n * static_cast<double>(repeat) / best[0] * 1e-6, "million/s",
                {{"nodes", StrCat(n)}}, AtLeast(100));
  }
}

SL_BENCH(executor, session_run_cached, "a cached step of one op") {
  Graph graph("one");
  Value x = graph
                .Add(graph.root(), "Placeholder", {},
                     {{"dtype", DType::kF32}, {"shape", PartialShape{}}})
                .value()
                ->output();
  Value y = Add(graph, "Add", {x, x})->output();
  WorkerPool one(1);
  MasterOptions options;
  options.pool = &one;
  LocalMaster master(graph, options);
  FeedList feeds = {{x, Array::Scalar(1.0f)}};
  std::vector<Value> fetches = {y};
  constexpr int kRuns = 20'000;
  auto best = Best(report.rounds, {[&] {
                     for (int i = 0; i < kRuns; ++i) {
                       SL_CHECK(master.Run(fetches, feeds, {}).ok());
                     }
                   }});
  report.Line("session_run_cached", best[0] / kRuns * 1e6, "us",
              {{"op", "Add"}}, AtMost(2));
}

SL_BENCH(executor, step_stats_overhead, "cost of statistics per node") {
  constexpr int kNodes = 100'000;
  auto plan = MustPlan(NullChain(kNodes), ExecutorChoice::kTokens);
  StepStats stats;
  stats.firings.reserve(kNodes);
  auto best = Best(report.rounds * 2, {[&] { RunStep(*plan, {}, nullptr); },
                                       [&] {
                                         stats.firings.clear();
                                         RunStep(*plan, {}, nullptr, &stats);
                                       },
                                       [&] { RunStep(*plan, {}, nullptr); }});
  report.Line("step_stats_overhead", (best[1] - best[0]) / kNodes * 1e9,
              "ns/node", {{"stats", "on"}}, AtMost(25));
  // Off is the same code as a step that cannot record: two such runs differ by
  // the noise of the machine alone.
  report.Line("step_stats_overhead", (best[2] - best[0]) / kNodes * 1e9,
              "ns/node", {{"stats", "off"}}, AtMost(2));
}

SL_BENCH(executor, elementwise_chain,
         "ten ops over 1M floats, fused or one by one") {
  const std::vector<std::string> ops = {"Add", "Mul",     "Relu",   "Sub",
                                        "Abs", "Maximum", "Square", "Neg",
                                        "Add", "Mul"};
  Shape shape{1 << 20};
  auto fused = MustPlan(ChainOf(10, shape, ops), ExecutorChoice::kTape);
  auto single = MustPlan(ChainOf(10, shape, ops), ExecutorChoice::kTape, false);
  auto tokens = MustPlan(ChainOf(10, shape, ops), ExecutorChoice::kTokens);
  Array x = *Array::Make(DType::kF32, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    x.mutable_data<float>()[i] = static_cast<float>(i % 1000) / 500 - 1;
  }
  std::vector<Array> feeds = {x, Array::Scalar(0.5f)};
  // One by one: every op a call of its own that makes its output, the one
  // before it let go as soon as it is read.
  auto by_itself = [&] {
    Array v = x;
    for (const std::string& op : ops) {
      const OpRecord& record = *FindOp(op);
      std::vector<Array> in = {v};
      if (record.inputs.size() == 2) in.push_back(feeds[1]);
      v = RunOp(record, {}, in).value()[0];
    }
  };
  auto best = Best(report.rounds * 3,
                   {[&] { RunStep(*fused, feeds, nullptr); }, by_itself,
                    [&] { RunStep(*tokens, feeds, nullptr); },
                    [&] { RunStep(*single, feeds, nullptr); }});
  double elements = static_cast<double>(shape.num_elements());
  report.Line("elementwise_chain_rate", elements / best[0] * 1e-9, "Gelement/s",
              {{"mode", "fused"}});
  report.Line("elementwise_chain", best[1] / best[0], "ratio",
              {{"against", "op by op"}}, AtLeast(2.5));
  // Stronger opponents, for the record: single nodes that overwrite their
  // input in place, in planned memory or not.
  report.Line("elementwise_chain_vs_tokens", best[2] / best[0], "ratio",
              {{"against", "token machine, in place"}});
  report.Line("elementwise_chain_vs_unfused", best[3] / best[0], "ratio",
              {{"against", "tape without fusion, in place"}});
}

SL_BENCH(executor, memory, "peak memory of a 1000-op chain over 1 MiB") {
  Shape shape{1 << 18};
  Array x = Array::Zeros(DType::kF32, shape);
  std::vector<Array> feeds = {x, Array::Scalar(0.5f)};
  struct Case {
    const char* name;
    ExecutorChoice executor;
    bool fuse;
    std::vector<std::string> ops;
  };
  // Softmax is no elementwise op: it needs a buffer of its own each time.
  for (const Case& c :
       {Case{"tape, fused", ExecutorChoice::kTape, true, {"Add", "Mul"}},
        Case{"tape", ExecutorChoice::kTape, false, {"Add", "Mul"}},
        Case{"tokens", ExecutorChoice::kTokens, true, {"Add", "Mul"}},
        Case{"tape, kernels", ExecutorChoice::kTape, true, {"Softmax"}},
        Case{"tokens, kernels", ExecutorChoice::kTokens, true, {"Softmax"}}}) {
    Allocator& host = HostAllocator();
    int64_t before = host.stats().bytes_in_use;
    host.ResetPeak();
    auto plan = MustPlan(ChainOf(1000, shape, c.ops), c.executor, c.fuse);
    RunStep(*plan, feeds, nullptr);
    double buffers =
        static_cast<double>(host.stats().peak_bytes - before) / (1 << 20);
    report.Line("memory", buffers, "buffers", {{"executor", c.name}},
                AtMost(4));
  }
}

}  // namespace
}  // namespace sluice::bench
