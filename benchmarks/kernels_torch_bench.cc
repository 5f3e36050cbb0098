// Forty common ops against PyTorch on the CPU with as many threads: plain
// calls that make their results, in turns with ours, each side resting before
// its turn because idle OpenMP threads spin on the cores of the other.
#include <algorithm>
#include <cmath>

#include "benchmarks/bench.h"
#include "benchmarks/timing.h"
#include "benchmarks/torch_cases.h"
#include "benchmarks/torch_child.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::bench {
namespace {

constexpr double kShare = 0.9, kWorst = 0.7;

std::string Micros(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", seconds * 1e6);
  return text;
}

// "" when our first result has the same sums as theirs.
std::string Compare(const Array& ours, std::pair<double, double> theirs) {
  double sum = 0, sizes = 0;
  Result<Array> row = ours.AsContiguous();
  DispatchAll(ours.dtype(), [&]<class T>() {
    if constexpr (std::is_convertible_v<T, double>) {
      for (int64_t i = 0; i < row->num_elements(); ++i) {
        auto v = static_cast<double>(row->data<T>()[i]);
        sum += v;
        sizes += std::fabs(v);
      }
    }
  });
  double room = 1e-3 * theirs.second + 1e-6;
  if (std::fabs(sum - theirs.first) <= room &&
      std::fabs(sizes - theirs.second) <= room) {
    return "";
  }
  return StrCat("results differ: sum ", sum, " against ", theirs.first,
                ", of sizes ", sizes, " against ", theirs.second);
}

// Torch's time over ours; 0 when there is none.
double RunCase(Report& report, TorchChild& torch, const TorchCase& c) {
  Settings settings = {{"op", c.name}};
  auto fail = [&](const std::string& why) {
    report.Missing("vs_torch", why, settings, AtLeast(1));
    return 0.0;
  };
  if (Status s = torch.SetCase(c.name, c.inputs); !s.ok()) {
    return fail("PyTorch: " + s.message());
  }
  std::vector<CallInput> inputs(c.inputs.begin(), c.inputs.end());
  Result<GraphCall> call = GraphCall::Make(std::move(inputs), c.build);
  if (!call.ok()) return fail(call.status().message());
  if (c.comparable) {
    auto theirs = torch.Check();
    if (!theirs.ok()) return fail("PyTorch: " + theirs.status().message());
    std::string off = Compare(call->results()[0], *theirs);
    if (!off.empty()) return fail(off);
  }
  auto best = SecondsPerCall(
      {.rounds = 2 * report.rounds, .rest_seconds = 5e-3},
      std::vector<TimedCalls>{Timed([&] { call->Run(); }),
                              [&](int64_t calls, int64_t batches) {
                                return torch.Time(calls, batches);
                              }});
  settings.emplace_back("us", Micros(best[0]));
  settings.emplace_back("torch us", Micros(best[1]));
  double ratio = best[1] / best[0];
  report.Line("vs_torch", ratio, "ratio", settings, AtLeast(1));
  return ratio;
}

SL_BENCH(kernels, vs_torch, "forty common ops against PyTorch") {
  int threads = WorkerPool::Default().parallelism();
  auto torch = TorchChild::Start(threads);
  if (!torch.ok()) {
    return report.Missing("vs_torch", torch.status().message(),
                          {{"threads", StrCat(threads)}}, AtLeast(kShare));
  }
  int faster = 0;
  double worst = 1e9;
  std::string worst_op;
  for (int i = 0; i < kNumTorchCases; ++i) {
    TorchCase c = MakeTorchCase(i);
    if (!report.Wants(c.name)) continue;
    double ratio = RunCase(report, **torch, c);
    faster += ratio >= 1;
    if (ratio < worst) worst = ratio, worst_op = c.name;
  }
  if (!report.only.empty()) return;
  Settings settings = {{"torch", (*torch)->version()},
                       {"threads", StrCat(threads)}};
  report.Line("vs_torch_share", static_cast<double>(faster) / kNumTorchCases,
              "of ops at least as fast", settings, AtLeast(kShare));
  settings.emplace_back("op", worst_op);
  report.Line("vs_torch_worst", worst, "ratio", settings, AtLeast(kWorst));
}

}  // namespace
}  // namespace sluice::bench
