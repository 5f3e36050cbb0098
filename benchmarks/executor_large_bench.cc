// Large graphs whose shapes are not known: what a node costs to build, to plan
// and in memory, and that it costs the same in a graph of a million.
#include <time.h>

#include "benchmarks/bench.h"
#include "benchmarks/peak_memory.h"
#include "sluice/sluice.h"

namespace sluice::bench {
namespace {

// Seconds of this process on a core: planning is the work of one thread, and
// others may be at work on the machine.
double Now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// `nodes` of them: constants count, too.
Tensor Chain(Tensor y, int64_t nodes) {
  for (int64_t i = 0; i < nodes; i += 4) y = y * 1.0001f + 0.5f;
  return y;
}

// Many strands that come together in one node.
Tensor Strands(const Tensor& x, int64_t nodes) {
  constexpr int64_t kLength = 100;
  std::vector<Operand> ends;
  for (int64_t i = 0; i < nodes; i += kLength) {
    ends.emplace_back(Chain(x, kLength));
  }
  return sum(stack(ends));
}

struct Cost {
  double build = 0, first = 0;  // seconds
  double bytes = 0;             // at most, at once
};

Cost CostOf(Tensor (*make)(const Tensor&, int64_t), int64_t nodes) {
  Cost cost;
  bool peaks = ForgetPeak();
  double start = Now();
  Graph graph;
  Tensor x, y;
  {
    GraphScope building(graph);
    x = placeholder(f32, PartialShape({kUnknownDim}), "x");
    y = make(x, nodes);
  }
  double built = Now();
  Session session(graph);
  (void)session.run(y, {{x, Array::Zeros(DType::kF32, {3})}});
  cost.first = Now() - built;
  cost.build = built - start;
  if (peaks) cost.bytes = static_cast<double>(PeakSinceForget());
  return cost;
}

// Seconds to give a graph so many arguments.
double CostOfArguments(int64_t count) {
  double start = Now();
  Graph graph;
  for (int64_t i = 0; i < count; ++i) {
    (void)graph.AddArg(graph.root(), "x" + std::to_string(i),
                       {DType::kF32, PartialShape()});
  }
  return Now() - start;
}

}  // namespace

SL_BENCH(executor, large_graphs, "graphs of a million nodes, shapes unknown") {
  struct Case {
    const char* name;
    Tensor (*make)(const Tensor&, int64_t);
  };
  const Case cases[] = {
      {"chain", [](const Tensor& x, int64_t n) { return Chain(x, n); }},
      {"strands", &Strands},
  };
  constexpr int64_t kSmall = 125'000, kLarge = 1'000'000;
  for (const Case& c : cases) {
    if (!report.Wants(c.name)) continue;
    Cost small = CostOf(c.make, kSmall), large = CostOf(c.make, kLarge);
    Settings settings{{"graph", c.name}, {"nodes", "1000000"}};
    report.Line("large_build", large.build, "s", settings);
    report.Line("large_first_result", large.first, "s", settings);
    report.Line("large_peak", large.bytes / 1e6, "MB", settings);
    double growth = (large.build + large.first) / (small.build + small.first);
    report.Line("large_growth", growth / (double{kLarge} / kSmall), "x",
                {{"graph", c.name}, {"nodes", "1000000 to 125000"}},
                AtMost(1.6));
  }
  if (!report.Wants("args")) return;
  constexpr int64_t kFew = 50'000, kMany = 800'000;
  double few = CostOfArguments(kFew), many = CostOfArguments(kMany);
  // Caches count for some of it; comparing each with all before would be 16.
  report.Line("large_args_growth", many / few / (double{kMany} / kFew), "x",
              {{"arguments", "800000 to 50000"}}, AtMost(5));
}

}  // namespace sluice::bench
