#include "benchmarks/beside_torch.h"

#include <cmath>
#include <cstdio>

#include "benchmarks/timing.h"
#include "benchmarks/torch_child.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"

namespace sluice::bench {

namespace {

constexpr int kComparedSteps = 4;

// Both sides learn the same, step by step.
Status CompareLosses(const BesideTorch& race, TorchChild& torch) {
  for (int i = 0; i < kComparedSteps; ++i) {
    float ours = race.step();
    SL_ASSIGN_OR_RETURN(Array theirs, torch.FirstResult());
    auto other = static_cast<float>(theirs.data<double>()[0]);
    if (!(std::abs(other - ours) <= 1e-4f * std::abs(other))) {
      return Internal(
          StrCat("the losses of step ", i, " differ: ", ours, ", ", other));
    }
  }
  return OkStatus();
}

}  // namespace

std::string ShortText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

void RaceTorch(Report& report, const BesideTorch& race) {
  auto missing = [&](const Status& why) {
    report.Missing(race.metric, why.message(), race.settings, race.bar);
  };
  auto torch = TorchChild::Start(WorkerPool::Default().parallelism());
  if (!torch.ok()) return missing(torch.status());
  Status set = (*torch)->SetCase(race.torch_case, race.inputs);
  if (set.ok()) set = CompareLosses(race, **torch);
  if (set.ok() && race.before_timing) {
    set = (*torch)->SetCase(race.torch_case, race.before_timing());
  }
  if (!set.ok()) return missing(set);
  std::vector<double> best = SecondsPerCall(
      {.rounds = report.rounds, .rest_seconds = 5e-3},
      {Timed([&] { race.step(); }), [&](int64_t calls, int64_t batches) {
         return (*torch)->Time(calls, batches);
       }});
  Settings settings = race.settings;
  settings.emplace_back("ms", ShortText(best[0] * 1e3));
  settings.emplace_back("torch ms", ShortText(best[1] * 1e3));
  report.Line(race.metric, best[1] / best[0], "ratio", settings, race.bar);
}

}  // namespace sluice::bench
