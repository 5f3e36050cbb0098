// sluice train MODEL: a model of examples/models, trained until told otherwise.
#include <cstdio>

#include "apps/sluice/command.h"
#include "examples/models/task.h"

namespace sluice::app {

const char kTrainUsage[] =
    "usage: sluice train MODEL [OPTIONS]    sluice train --list\n"
    "  Trains a model and goes on where it was stopped, when --dir is given.\n"
    "  --steps N         to do in all (default 100)\n"
    "  --batch N         examples in a batch (default: the model's)\n"
    "  --optimizer NAME  sgd, momentum, adagrad, adam, adamw\n"
    "  --lr X            the learning rate\n"
    "  --clip X          the largest norm of all gradients (default 0: any)\n"
    "  --width X         of the model's channels, 1 as in the paper\n"
    "  --image N         height and width of its pictures\n"
    "  --dir FOLDER      gets checkpoints, metrics and events\n"
    "  --save-every N    steps between checkpoints (default 50)\n"
    "  --seed N          of weights and batches (default 1)\n"
    "  --summary         print the model, do not train\n";

namespace {

void PrintModels() {
  for (const models::TaskKind& kind : models::task_kinds()) {
    std::printf("%-14s %s\n", kind.name, kind.summary);
  }
}

// Batch after batch, each known by its number.
train::Source Batches(models::Task& task, int64_t size, int64_t& number) {
  return {
      .next = [&task, size, &number]() -> std::optional<models::Task::Batch> {
        return task.batch(size, static_cast<uint64_t>(number++));
      },
      .epoch = [] { return uint64_t{0}; },
      .state = [&number] { return std::to_string(number); },
      .restore = [&number](const std::string& s) { number = std::stoll(s); },
      .size = {}};
}

}  // namespace

int RunTrain(Arguments arguments) {
  bool help = arguments.flag("--help") || arguments.flag("-h");
  bool list = arguments.flag("--list"), summary = arguments.flag("--summary");
  int64_t steps = arguments.number("--steps", 100, 1, 1'000'000'000);
  int64_t batch = arguments.number("--batch", 0, 1, 1 << 20);
  std::string optimizer_name = arguments.text("--optimizer", "");
  double lr = arguments.real("--lr", 0, 0, 1e6);
  double clip = arguments.real("--clip", 0, 0, 1e12);
  models::TaskOptions options;
  options.width = arguments.real("--width", 1, 0.01, 4);
  options.image = arguments.number("--image", 0, 16, 4096);
  std::string dir = arguments.text("--dir", "");
  int64_t save_every = arguments.number("--save-every", 50, 1, 1'000'000'000);
  int64_t seed = arguments.number("--seed", 1, 0, 1 << 30);
  std::optional<std::string> name = arguments.word();
  arguments.finish();
  if (help) {
    std::fputs(kTrainUsage, stdout);
    return kDone;
  }
  if (list) {
    PrintModels();
    return kDone;
  }
  if (!name) throw UsageError("which model? --list names them");

  const models::TaskKind& kind = models::task_kind(*name);
  manual_seed(static_cast<uint64_t>(seed));
  std::unique_ptr<models::Task> task = kind.make(options);
  if (summary) {
    std::printf("%s\n%lld parameters\n", task->model().ToString().c_str(),
                static_cast<long long>(task->model().num_parameters()));
    return kDone;
  }
  if (batch == 0) batch = kind.batch;
  auto optimizer = models::make_optimizer(
      optimizer_name.empty() ? kind.optimizer : optimizer_name,
      lr > 0 ? lr : kind.lr, task->model().parameters());
  train::Trainer trainer(
      task->model(), *optimizer,
      [&](const models::Task::Batch& b) { return task->loss(b); },
      {.max_steps = steps,
       .clip_norm = clip,
       .dir = dir,
       .save_every = save_every,
       .progress = {.items_per_step = static_cast<double>(batch),
                    .unit = "examples"}});
  int64_t number = seed;
  train::FitResult result = trainer.fit(Batches(*task, batch, number));
  if (result.resumed >= 0) {
    std::printf("went on from step %lld\n",
                static_cast<long long>(result.resumed));
  }
  std::printf("%s: loss %.4g after %lld steps\n", kind.name, result.loss,
              static_cast<long long>(result.steps));
  for (const auto& [metric, value] : task->evaluate()) {
    std::printf("  %s on unseen data: %.4g\n", metric.c_str(), value);
  }
  return result.end == train::FitResult::End::kSignal ? kFailed : kDone;
}

}  // namespace sluice::app
