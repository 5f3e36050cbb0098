// The gradient of a weight that a loop reads in every iteration: one product
// over all iterations after the backward loop, against adding it up in it.
#include "benchmarks/bench.h"
#include "benchmarks/beside_torch.h"
#include "benchmarks/lstm_model.h"
#include "benchmarks/timing.h"
#include "sluice/base/strings.h"

namespace sluice::bench {
namespace {

void HoistCase(Report& report, int64_t batch, double bar) {
  std::string metric = StrCat("hoist_b", batch);
  LstmSizes sizes{.batch = batch};
  Settings settings = {{"batch", StrCat(batch)},
                       {"hidden", StrCat(sizes.hidden)},
                       {"steps", StrCat(sizes.steps)}};
  std::vector<Array> arrays = LstmArrays(sizes);
  std::vector<Tensor> parameters = LeavesOf(arrays, kLstmBatch);
  Tensor x = constant(arrays[0]), target = constant(arrays[1]);
  x.requires_grad_();
  // What flows back to the input, with the recurrent weight's gradient or not.
  auto make = [&](bool weight, bool hoist) {
    return function([&, weight, hoist](Tensor in, Tensor want) {
      EnableGrad on;  // of the calls around, nothing is recorded
      Tensor loss =
          LstmLoss(parameters, in, want, LoopForm::kDynamic, sizes.steps);
      std::vector<Tensor> xs = {in};
      if (weight) xs.push_back(parameters[1]);
      return gradients({loss}, xs, {.hoist = hoist});
    });
  };
  auto hoisted = make(true, true), added = make(true, false);
  auto without_hoisted = make(false, true), without_added = make(false, false);
  NoGrad no_grad;
  Tensor a = hoisted(x, target)[1], b = added(x, target)[1];
  float off = max(abs(a - b)).item<float>(), size = max(abs(b)).item<float>();
  if (!(off <= 1e-4f * size)) {
    return report.Missing(metric,
                          StrCat("the gradients differ by ", off, " of ", size),
                          settings, AtLeast(bar));
  }
  std::vector<double> best = SecondsPerCall(
      {.rounds = 3 * report.rounds},
      std::vector<std::function<void()>>{
          [&] { hoisted(x, target); }, [&] { without_hoisted(x, target); },
          [&] { added(x, target); }, [&] { without_added(x, target); }});
  double part = best[0] - best[1], added_part = best[2] - best[3];
  settings.emplace_back("step ms", ShortText(best[0] * 1e3));
  settings.emplace_back("weight ms", ShortText(part * 1e3));
  settings.emplace_back("weight ms in the loop", ShortText(added_part * 1e3));
  if (part <= 0 || added_part <= 0) {
    return report.Missing(metric, "too noisy: a part takes less than nothing",
                          settings, AtLeast(bar));
  }
  report.Line(metric, added_part / part, "ratio", settings, AtLeast(bar));
}

SL_BENCH(loops, hoist, "weight gradients after the loop, and in it") {
  if (report.Wants("hoist_b1")) HoistCase(report, 1, 5);
  if (report.Wants("hoist_b8")) HoistCase(report, 8, 2);
}

}  // namespace
}  // namespace sluice::bench
