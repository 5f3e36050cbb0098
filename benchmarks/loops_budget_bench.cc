// A loop of ten thousand iterations that carries a megabyte, and its gradient
// within 256 of them: the most memory the process had at once, and what the
// recomputing costs.
#include <cmath>

#include "benchmarks/bench.h"
#include "benchmarks/peak_memory.h"
#include "sluice/base/strings.h"
#include "sluice/sluice.h"
#include "sluice/tensor/allocator.h"

namespace sluice::bench {
namespace {

constexpr int64_t kTrips = 10000, kElements = 1 << 18, kTile = 1 << 10;
constexpr int64_t kBudget = 256 << 20;

// The gradients of z = z + h (w - z z), which many small ones side by side
// have, too.
struct Flow {
  Graph graph;
  Tensor z, w;
  std::vector<Tensor> found;

  explicit Flow(const Save& save) {
    GraphScope building(graph);
    z = placeholder(f32, {any});
    w = placeholder(f32, {});
    LoopOptions options;
    options.save = save;
    Tensor last = for_loop(
        kTrips, [&](Tensor, Tensor z) { return z + 1e-3f * (w - z * z); }, z,
        options);
    found = gradients({sum(last)}, {z, w});
  }
  std::vector<Array> Run(int64_t elements) {
    std::vector<float> start;
    for (int64_t i = 0; i < elements; ++i) {
      start.push_back(.001f * static_cast<float>(i % kTile));
    }
    Session session(graph);
    return session.run(
        std::vector<Fetch>(found.begin(), found.end()),
        {{z, Array::Of<float>({elements}, std::span<const float>(start))},
         {w, Array::Scalar(1.5f)}});
  }
};

SL_BENCH(loops, budget, "memory of a long loop's gradient within a budget") {
  if (!report.Wants("budget_peak")) return;
  Settings settings = {{"iterations", StrCat(kTrips)},
                       {"carried bytes", StrCat(kElements * 4)},
                       {"budget", StrCat(kBudget)}};
  std::vector<Array> want = Flow("device").Run(kTile);
  Flow flow{budget(kBudget)};
  bool counted = ForgetPeak();
  HostAllocator().ResetPeak();
  int64_t before = HostAllocator().stats().bytes_in_use;
  std::vector<Array> got = flow.Run(kElements);
  int64_t peak = HostAllocator().stats().peak_bytes - before;
  if (counted) settings.emplace_back("process", StrCat(PeakSinceForget()));
  float off = 0;
  for (int64_t i = 0; i < kElements; ++i) {
    off = std::max(off, std::abs(got[0].data<float>()[i] -
                                 want[0].data<float>()[i % kTile]));
  }
  if (off != 0) {
    return report.Missing("budget_peak", StrCat("gradients differ by ", off),
                          settings);
  }
  report.Line("budget_peak", static_cast<double>(peak), "bytes", settings,
              AtMost(static_cast<double>(kBudget)));
}

}  // namespace
}  // namespace sluice::bench
