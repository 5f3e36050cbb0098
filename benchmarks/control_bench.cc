// Conditionals and loops: what an iteration costs on a tape and on the token
// machine, what parallel iterations gain, and what a long loop holds in memory.
// All on sessions of one thread, as users have them.
#include <memory>

#include "benchmarks/bench.h"
#include "benchmarks/raw_loop.h"
#include "benchmarks/torch_child.h"
#include "sluice/graph/node.h"
#include "sluice/sluice.h"
#include "sluice/tensor/allocator.h"

namespace sluice::bench {
namespace {

// A graph of one result with a count to feed, ready to be called.
class Loop {
 public:
  using Build = std::function<Tensor(const Tensor& count)>;
  Loop(const Build& build, ExecutorChoice executor) : executor_(executor) {
    {
      GraphScope building(graph_);
      count_ = placeholder(i64, Shape(), "count");
      result_ = build(count_);
    }
    SessionOptions options;
    options.threads = 1;
    session_ = std::make_unique<Session>(graph_, options);
    call_ = session_->prepare({result_}, {count_}, {}, executor);
  }

  void Run(int64_t count) { call_({Array::Scalar(count)}); }
  // Nodes fired by one run.
  double Firings(int64_t count) {
    RunOptions options;
    options.trace = true;
    options.executor = executor_;
    RunMetadata metadata;
    session_->run(result_, {{count_, count}}, options, &metadata);
    return static_cast<double>(metadata.stats.firings.size());
  }

 private:
  ExecutorChoice executor_;
  Graph graph_;
  Tensor count_, result_;
  std::unique_ptr<Session> session_;
  Callable call_;
};

Tensor CountUp(const Tensor& n) {
  return while_loop([&](Tensor i) { return i < n; },
                    [](Tensor i) { return i + 1; }, int64_t{0});
}

Tensor ManyVariables(const Tensor& n) {
  std::vector<Tensor> start{constant(int64_t{0})};
  for (int i = 1; i < 1000; ++i) start.push_back(constant(1.0f));
  std::vector<Tensor> last =
      while_loop([&](std::vector<Tensor> v) { return v[0] < n; },
                 [](std::vector<Tensor> v) {
                   v[0] = v[0] + 1;
                   for (size_t i = 1; i < v.size(); ++i) v[i] = v[i] * 1.0001f;
                   return v;
                 },
                 start);
  return last[0];
}

Tensor Nested(const Tensor& n) {
  auto [i, total] = while_loop(
      [&](Tensor i, Tensor) { return i < n; },
      [](Tensor i, Tensor total) {
        Tensor inner = while_loop([](Tensor k) { return k < int64_t{10}; },
                                  [](Tensor k) { return k + 1; }, int64_t{0});
        return std::tuple(i + 1, total + inner);
      },
      int64_t{0}, int64_t{0});
  return total;
}

Tensor WithCond(const Tensor& n) {
  auto [i, x] = while_loop(
      [&](Tensor i, Tensor) { return i < n; },
      [](Tensor i, Tensor x) {
        return std::tuple(
            i + 1,
            cond(x > 0.0f, [&] { return x - 1.5f; }, [&] { return x + 1.0f; }));
      },
      int64_t{0}, 0.0f);
  return x;
}

SL_BENCH(control, iterations, "trivial loops, per second") {
  constexpr int64_t kTape = 1'000'000, kTokens = 100'000;
  Loop tape(CountUp, ExecutorChoice::kTape);
  Loop tokens(CountUp, ExecutorChoice::kTokens);
  RawLoop raw;
  std::vector<double> best = Best(
      report.rounds, {[&] { tape.Run(kTape); }, [&] { tokens.Run(kTokens); },
                      [&] { raw.Run(kTokens); }});
  report.Line("while_tape", kTape / best[0] / 1e6, "M iterations/s", {},
              AtLeast(30));
  report.Line("while_tokens_raised", kTokens / best[1] / 1e6, "M iterations/s",
              {}, AtLeast(3));
  report.Line("while_tokens_raw", kTokens / best[2] / 1e6, "M iterations/s", {},
              AtLeast(1.5));
}

SL_BENCH(control, firings, "cost per firing of larger loops") {
  constexpr int64_t kTrips = 20'000;
  struct Case {
    const char* name;
    Tensor (*build)(const Tensor&);
    int64_t trips;
  };
  Loop trivial(CountUp, ExecutorChoice::kTokens);
  double trivial_firings = trivial.Firings(kTrips);
  for (const Case& c : {Case{"1000 variables", ManyVariables, 50},
                        Case{"nested loops", Nested, kTrips / 10},
                        Case{"conds in a loop", WithCond, kTrips}}) {
    if (!report.Wants(c.name)) continue;
    Loop loop(c.build, ExecutorChoice::kTokens);
    double firings = loop.Firings(c.trips);
    std::vector<double> best =
        Best(report.rounds,
             {[&] { trivial.Run(kTrips); }, [&] { loop.Run(c.trips); }});
    double ratio = (best[1] / firings) / (best[0] / trivial_firings);
    report.Line("while_firing_ratio", ratio, "x", {{"loop", c.name}},
                AtMost(2));
  }
}

SL_BENCH(control, plan_time, "building and planning does not grow with T") {
  // A loop known to run once is no loop any more, so a constant T begins at 2;
  // one that is fed is known to no plan.
  auto build = [](int64_t trips, bool fed) {
    Graph graph;
    Tensor x, n, y;
    {
      GraphScope building(graph);
      x = placeholder(f32, Shape{4, 8}, "x");
      n = placeholder(i64, Shape(), "n");
      Tensor w = constant(Array::Zeros(DType::kF32, {8, 8}));
      y = for_loop(
          fed ? n : constant(trips),
          [&](Tensor, Tensor h) { return tanh(matmul(h, w) + x * 0.1f); },
          zeros({4, 8}));
    }
    Session session(graph);
    session.explain(y, {{x, Array::Zeros(DType::kF32, {4, 8})}, {n, trips}});
  };
  std::vector<double> best =
      Best(10 * report.rounds,
           {[&] { build(1, true); }, [&] { build(10'000, true); },
            [&] { build(2, false); }, [&] { build(10'000, false); }});
  for (size_t k : {size_t{0}, size_t{2}}) {
    char micros[32];
    std::snprintf(micros, sizeof micros, "%.0f", best[k + 1] * 1e6);
    report.Line("plan_time", best[k + 1] / best[k], "x",
                {{"T", k == 0 ? "fed, 10000 to 1" : "constant, 10000 to 2"},
                 {"us", micros}},
                AtMost(1.1));
  }
}

SL_BENCH(control, pipeline, "parallel iterations of a pipeline") {
  // Stage k of iteration i needs stage k - 1 of i and stage k of i - 1.
  // Filling and draining it costs 7 stages: 1600 / 207 = 7.7 times is the most.
  constexpr int64_t kTrips = 200;
  auto build = [](int64_t parallel) {
    return [parallel](const Tensor& n) {
      std::vector<Tensor> start{constant(int64_t{0})};
      for (int k = 0; k < 8; ++k) start.push_back(constant(0.0f));
      auto last =
          while_loop([&](std::vector<Tensor> v) { return v[0] < n; },
                     [](std::vector<Tensor> v) {
                       Tensor x = constant(1.0f);
                       for (size_t k = 1; k < v.size(); ++k) {
                         x = call("Sleep", {x + v[k]}, {{"micros", 1000}})[0];
                         v[k] = x * 0.5f;
                       }
                       v[0] = v[0] + 1;
                       return v;
                     },
                     start, {.parallel_iterations = parallel});
      return last[8];
    };
  };
  Loop one(build(1), ExecutorChoice::kAuto);
  Loop many(build(32), ExecutorChoice::kAuto);
  std::vector<double> best =
      Best(2, {[&] { one.Run(kTrips); }, [&] { many.Run(kTrips); }});
  report.Line("pipeline_speedup", best[0] / best[1], "x",
              {{"bound", "32 against 1"}}, AtLeast(7));
}

SL_BENCH(control, memory, "buffers of a long loop") {
  constexpr int64_t kBytes = 1 << 20, kTrips = 300, kVariables = 4;
  for (int64_t parallel : {1, 8}) {
    for (auto [name, executor] :
         {std::pair("tape", ExecutorChoice::kTape),
          std::pair("tokens", ExecutorChoice::kTokens)}) {
      auto build = [&](const Tensor& n) {
        std::vector<Tensor> start{constant(int64_t{0})};
        for (int64_t k = 0; k < kVariables; ++k) {
          start.push_back(zeros({kBytes / 4}) + 1.0f);
        }
        auto last = while_loop([&](std::vector<Tensor> v) { return v[0] < n; },
                               [](std::vector<Tensor> v) {
                                 v[0] = v[0] + 1;
                                 for (size_t k = 1; k < v.size(); ++k)
                                   v[k] = tanh(v[k]) + v[k];
                                 return v;
                               },
                               start, {.parallel_iterations = parallel});
        return sum(last[1] + last[2] + last[3] + last[4]);
      };
      Loop loop(build, executor);
      loop.Run(2);
      int64_t before = HostAllocator().stats().bytes_in_use;
      HostAllocator().ResetPeak();
      loop.Run(kTrips);
      int64_t peak = HostAllocator().stats().peak_bytes - before;
      report.Line("loop_buffers",
                  static_cast<double>(peak) / (kBytes * kVariables),
                  "per variable",
                  {{"executor", name}, {"parallel", std::to_string(parallel)}},
                  AtMost(static_cast<double>(parallel + 3)));
    }
  }
}

SL_BENCH(control, onnxruntime, "beside ONNX Runtime's Loop") {
  constexpr int64_t kTrips = 100'000;
  auto peer = TorchChild::Start(1);
  if (!peer.ok()) {
    return report.Missing("while_vs_onnxruntime", peer.status().message(), {},
                          AtLeast(10));
  }
  Status there = (*peer)->SetCase("onnx_loop", {Array::Scalar(kTrips)});
  if (!there.ok()) {
    return report.Missing("while_vs_onnxruntime", there.message(), {},
                          AtLeast(10));
  }
  Loop loop(CountUp, ExecutorChoice::kAuto);
  double ours = 1e9, theirs = 1e9;
  for (int i = 0; i < report.rounds; ++i) {
    ours = std::min(ours, Best(1, {[&] { loop.Run(kTrips); }})[0]);
    theirs = std::min(theirs, (*peer)->Time(1, 1));
  }
  char nanos[64];
  std::snprintf(nanos, sizeof nanos, "%.1f against %.1f", ours / kTrips * 1e9,
                theirs / kTrips * 1e9);
  report.Line("while_vs_onnxruntime", theirs / ours, "x", {{"ns", nanos}},
              AtLeast(10));
}

}  // namespace
}  // namespace sluice::bench
