// Forty common ops against PyTorch on the CPU with as many threads: plain
// calls that make their results, in turns with ours, each side resting before
// its turn because idle OpenMP threads spin on the cores of the other. Threads
// of both sides stay on their cores.
#include <sched.h>

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

// "" when our first result is theirs, element by element. What many products
// add up to differs by their order, so the largest element sets the room.
std::string Compare(const Array& ours, const Array& theirs) {
  if (ours.shape() != theirs.shape()) {
    return StrCat("ours is ", ours.TypeText(), ", theirs ", theirs.TypeText());
  }
  Result<Array> row = ours.AsContiguous();
  if (!row.ok()) return row.status().message();
  int64_t n = theirs.num_elements();
  const double* want = theirs.data<double>();
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    largest = std::max(largest, std::fabs(want[i]));
  }
  std::string off;
  DispatchAll(ours.dtype(), [&]<class T>() {
    if constexpr (std::is_convertible_v<T, double>) {
      for (int64_t i = 0; i < n && off.empty(); ++i) {
        auto got = static_cast<double>(row->data<T>()[i]);
        double room = 1e-4 * std::fabs(want[i]) + 1e-5 * largest;
        if (!(std::fabs(got - want[i]) <= room)) {
          off = StrCat("results differ: element ", i, " is ", got, ", theirs ",
                       want[i]);
        }
      }
    } else {
      off = "results of this type are not compared";
    }
  });
  return off;
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
    auto theirs = torch.FirstResult();
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

// Keeps this thread on the core the pool's workers leave to it, until the end
// of the scope. After a rest the system may wake it on a worker's core, and
// takes longer than a turn to part the two.
class OnFirstCore {
 public:
  OnFirstCore() {
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    int first = 0;
    while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &before_)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    moved_ = sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~OnFirstCore() {
    if (moved_) sched_setaffinity(0, sizeof before_, &before_);
  }
  OnFirstCore(const OnFirstCore&) = delete;

 private:
  cpu_set_t before_;
  bool moved_ = false;
};

SL_BENCH(kernels, vs_torch, "forty common ops against PyTorch") {
  int threads = WorkerPool::Default().parallelism();
  auto torch = TorchChild::Start(threads);
  if (!torch.ok()) {
    return report.Missing("vs_torch", torch.status().message(),
                          {{"threads", StrCat(threads)}}, AtLeast(kShare));
  }
  OnFirstCore here;  // not before: the child would inherit it
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
