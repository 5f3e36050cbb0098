// What a loop costs that keeps a value of each iteration for its gradient, and
// the memory that takes: for numbers and short rows the list is all there is.
#include <cmath>

#include "benchmarks/bench.h"
#include "benchmarks/peak_memory.h"
#include "benchmarks/timing.h"
#include "sluice/base/strings.h"
#include "sluice/sluice.h"

namespace sluice::bench {
namespace {

// The gradient of x = tanh(w x), so many times.
struct SavingLoop {
  Graph graph;
  Tensor start, w, n;
  std::vector<Tensor> found;
  std::unique_ptr<Session> session;
  Array x;

  SavingLoop(int64_t elements, LoopOptions options) {
    GraphScope building(graph);
    bool scalar = elements == 0;
    Shape shape = scalar ? Shape() : Shape({elements});
    start = placeholder(f32, shape);
    w = placeholder(f32, {});
    n = placeholder(i64, {});
    Tensor last = for_loop(
        n, [&](Tensor, Tensor x) { return tanh(w * x); }, start, options);
    found = gradients({sum(last)}, {start, w});
    session = std::make_unique<Session>(graph);
    x = Array::Zeros(DType::kF32, shape);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      x.mutable_data<float>()[i] = .5f;
    }
  }
  std::vector<Array> Run(int64_t trips) {
    return session->run(std::vector<Fetch>(found.begin(), found.end()),
                        {{start, x},
                         {w, Array::Scalar(1.01f)},
                         {n, Array::Scalar<int64_t>(trips)}});
  }
};

void Case(Report& report, int64_t elements) {
  std::string metric =
      elements == 0 ? "saved_number" : StrCat("saved_row_", elements);
  if (!report.Wants(metric)) return;
  constexpr int64_t kTrips = 2000;
  // Twice as many iterations less once: what a run costs by itself is gone.
  SavingLoop loop(elements, {});
  std::vector<double> best = SecondsPerCall(
      {.rounds = report.rounds},
      std::vector<std::function<void()>>{[&] { loop.Run(kTrips); },
                                         [&] { loop.Run(2 * kTrips); }});
  Settings settings = {{"elements", StrCat(elements)}};
  int64_t many = elements > 256 ? 20'000 : 200'000;
  if (ForgetPeak()) {
    loop.Run(many);
    settings.emplace_back("bytes an iteration",
                          StrCat(PeakSinceForget() / many));
  }
  report.Line(metric, (best[1] - best[0]) / kTrips * 1e9, "ns", settings);
}

SL_BENCH(loops, saved, "what a loop keeps for its gradient") {
  for (int64_t elements : {0, 4, 16, 64, 128, 256, 1024, 4096}) {
    Case(report, elements);
  }
}

}  // namespace
}  // namespace sluice::bench
