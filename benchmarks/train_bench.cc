// Training steps of whole models, captured, beside the same steps of PyTorch:
// time, memory, and what the first step costs.
#include <cmath>

#include "benchmarks/bench.h"
#include "benchmarks/peak_memory.h"
#include "benchmarks/timing.h"
#include "benchmarks/torch_child.h"
#include "examples/models/task.h"
#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"

namespace sluice::bench {
namespace {

struct Case {
  const char* model;
  int64_t batch;
  const char* optimizer;
};
constexpr Case kCases[] = {
    {"lenet", 64, "momentum"},    {"ncf", 1024, "adam"},
    {"transformer", 16, "adamw"}, {"mobilenet_v2", 8, "momentum"},
    {"resnet50", 8, "momentum"},  {"vgg_a", 4, "momentum"},
};

struct Run {
  explicit Run(const Case& c)
      : task(models::make_task(c.model, {.dropout = 0})),
        optimizer(models::make_optimizer(c.optimizer, 1e-3,
                                         task->model().parameters())),
        batch(task->batch(c.batch, 1)),
        step(models::train_step(*task, *optimizer)) {}

  std::unique_ptr<models::Task> task;
  std::unique_ptr<optim::Optimizer> optimizer;
  models::Task::Batch batch;
  Function<Tensor, models::Task::Batch> step;
};

std::string Text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

// The loss, and seconds, of a step.
std::pair<float, double> TimedStep(Run& run) {
  int64_t began = NowNanos();
  float loss = run.step(run.batch).item<float>();
  return {loss, static_cast<double>(NowNanos() - began) * 1e-9};
}

void TrainCase(Report& report, const Case& c, TorchChild* torch,
               const std::string& missing) {
  Settings settings = {{"model", c.model}, {"batch", StrCat(c.batch)}};
  // What the system needs to find and clear the memory is neither building nor
  // planning: the first step of another model gets it beforehand.
  double cold = [&] {
    Run before(c);
    return TimedStep(before).second;
  }();
  Run run(c);
  // The other side begins with the same numbers.
  std::vector<Array> inputs;
  for (const Tensor& t : run.batch) inputs.push_back(t.array());
  for (const Tensor& p : run.task->model().parameters()) {
    inputs.push_back(*p.array().Clone());
  }
  auto [loss, first] = TimedStep(run);

  std::vector<TimedCalls> sides = {Timed([&] { run.step(run.batch); })};
  if (torch) {
    Status set = torch->SetCase(StrCat("train_", c.model), inputs);
    Result<Array> theirs = set.ok() ? torch->FirstResult() : Result<Array>(set);
    inputs.clear();
    if (!theirs.ok()) {
      return report.Missing("train_vs_torch", theirs.status().message(),
                            settings, AtLeast(1));
    }
    auto other = static_cast<float>(theirs->data<double>()[0]);
    if (std::abs(other - loss) > 1e-3f * std::abs(loss)) {
      return report.Missing("train_vs_torch",
                            StrCat("the losses differ: ", loss, ", ", other),
                            settings, AtLeast(1));
    }
    sides.push_back([&](int64_t calls, int64_t batches) {
      return torch->Time(calls, batches);
    });
  }
  std::vector<double> best = SecondsPerCall(
      {.rounds = std::max(2, report.rounds / 2), .rest_seconds = 5e-3}, sides);
  Settings timed = settings;
  timed.emplace_back("ms", Text(best[0] * 1e3));
  if (torch) {
    timed.emplace_back("torch ms", Text(best[1] * 1e3));
    report.Line("train_vs_torch", best[1] / best[0], "ratio", timed,
                AtLeast(1));
  } else {
    report.Missing("train_vs_torch", missing, timed, AtLeast(1));
  }
  settings.emplace_back("with new memory", Text(cold - best[0]));
  report.Line("first_step", std::max(0.0, first - best[0]), "s", settings,
              AtMost(0.5));
}

SL_BENCH(train, train_vs_torch, "training steps of models, and the first one") {
  auto torch = TorchChild::Start(WorkerPool::Default().parallelism());
  for (const Case& c : kCases) {
    if (!report.Wants(c.model)) continue;
    TrainCase(report, c, torch.ok() ? torch->get() : nullptr,
              torch.ok() ? "" : torch.status().message());
  }
}

// Model, optimizer, batch and three steps: the most memory at once.
Result<double> OurPeak(const Case& c) {
  if (!ForgetPeak()) {
    return FailedPrecondition("the peak of the memory cannot be set back");
  }
  Run run(c);
  for (int i = 0; i < 3; ++i) run.step(run.batch);
  return static_cast<double>(PeakSinceForget());
}

Result<double> TheirPeak(const Case& c, TorchChild& torch) {
  SL_RETURN_IF_ERROR(torch.Forget());
  std::vector<Array> inputs;
  for (const Tensor& t :
       models::make_task(c.model, {.dropout = 0})->batch(c.batch, 1)) {
    inputs.push_back(t.array());
  }
  SL_RETURN_IF_ERROR(torch.SetCase(StrCat("train_", c.model), inputs));
  if (torch.Time(2, 1) < 0) return Internal("PyTorch failed");
  return torch.PeakBytes();
}

SL_BENCH(train, peak_memory_vs_torch, "the most memory training takes") {
  for (const Case& c : kCases) {
    if (!report.Wants(c.model)) continue;
    Settings settings = {{"model", c.model}, {"batch", StrCat(c.batch)}};
    Result<double> ours = OurPeak(c);
    if (!ours.ok()) {
      report.Missing("peak_memory_vs_torch", ours.status().message(), settings,
                     AtMost(1));
      continue;
    }
    settings.emplace_back("MB", Text(*ours * 1e-6));
    // A process of its own for each, which has kept nothing of the last one.
    auto torch = TorchChild::Start(WorkerPool::Default().parallelism());
    Result<double> theirs =
        torch.ok() ? TheirPeak(c, **torch) : Result<double>(torch.status());
    if (!theirs.ok()) {
      report.Missing("peak_memory_vs_torch", theirs.status().message(),
                     settings, AtMost(1));
      continue;
    }
    settings.emplace_back("torch MB", Text(*theirs * 1e-6));
    report.Line("peak_memory_vs_torch", *ours / *theirs, "ratio", settings,
                AtMost(1));
  }
}

// How much faster batches of digits are made (decoded, shuffled, put together)
// than a network learns from them.
SL_BENCH(train, input_rate, "batches of digits made, against learned from") {
  for (const char* model : {"lenet", "mlp"}) {
    if (!report.Wants(model)) continue;
    Run run({model, 64, "momentum"});
    data::Loader<2> loader(data::mnist("train", {.flat = false})
                               .shuffle(10000, 1)
                               .batch(64, {.drop_last = true}));
    auto take = [&] {
      if (!loader.next()) loader.next();
    };
    std::vector<double> best = SecondsPerCall(
        {.rounds = report.rounds},
        std::vector<std::function<void()>>{take, [&] { run.step(run.batch); }});
    report.Line("input_rate", best[1] / best[0], "ratio",
                {{"model", model},
                 {"batch us", Text(best[0] * 1e6)},
                 {"step us", Text(best[1] * 1e6)}},
                AtLeast(10));
  }
}

}  // namespace
}  // namespace sluice::bench
