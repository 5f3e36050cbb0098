// Trainer: the loop around a training step: passes over the data, evaluation,
// progress, metrics, checkpoints, and a clean end.
//
//   train::Trainer trainer(net, adam, [&](const auto& batch) {
//     return sl::cross_entropy(net(batch[0]), batch[1]);
//   }, {.epochs = 5, .dir = "runs/first"});
//   trainer.evaluate_with([&] { return train::classify(net, test).metrics();
//   }); trainer.fit(loader);
//
// The loss is captured (front/function.h) together with its gradients; the
// update is a plan of its own, and runs only when the loss is finite: a loss
// that is not throws, naming the step, and the op and line it came from, and
// parameters are as they were before that step.
//
// With a folder, a run that was stopped goes on where its last checkpoint is,
// bit for bit as if it had not been stopped; Ctrl-C and SIGTERM end a run after
// the step it is in, with a checkpoint.
//
// Model, optimizer and data must outlive it. One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/front/function.h"
#include "sluice/io/checkpoint.h"
#include "sluice/nn/module.h"
#include "sluice/optim/schedule.h"
#include "sluice/report/progress.h"
#include "sluice/train/early_stopping.h"
#include "sluice/train/source.h"

namespace sluice::train {

using Metrics = std::vector<std::pair<std::string, double>>;

struct TrainerOptions {
  // Passes of the data in all, those it had before fit() included: as often as
  // a run is begun again, it ends at the same place.
  int64_t epochs = 1;
  int64_t max_steps = 0;  // 0: as many as the epochs have
  double clip_norm = 0;   // of all gradients together; 0: as they are

  // ---- Files ----
  // Gets checkpoints, metrics.csv, metrics.jsonl and TensorBoard's events.
  // Empty: nothing is written.
  std::string dir{};
  bool resume = true;      // from what is in `dir`
  int64_t save_every = 0;  // steps; 0: after every pass. The end is saved, too
  int64_t log_every = 10;  // steps
  io::CheckpointOptions checkpoints{};
  bool events = true;

  // ---- Ends ----
  std::optional<EarlyStopping> early_stopping{};
  bool stop_on_signals = true;

  // ---- Shown ----
  bool show_progress = true;
  report::ProgressOptions progress{};  // total and start are filled in
};

struct FitResult {
  // kNothing: all epochs and steps were done before; a message says so.
  enum class End : uint8_t { kDone, kEarly, kSignal, kNothing };
  End end = End::kDone;
  int64_t steps = 0;     // in all, those before a resume included
  int64_t resumed = -1;  // the step it went on from
  double loss = 0;       // of the last step
  Metrics metrics;       // of the last evaluation
  // (step, loss) of every log_every-th step of this process.
  std::vector<std::pair<double, double>> curve;
};

class Trainer {
 public:
  using Batch = std::vector<Tensor>;
  using LossFn = std::function<Tensor(const Batch&)>;

  Trainer(nn::Module& model, optim::Optimizer& optimizer, LossFn loss,
          TrainerOptions options = {});
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Called after every pass, with the model in eval() and without gradients.
  void evaluate_with(std::function<Metrics()> evaluate);
  // The schedule moves on after every step.
  void schedule_with(optim::Schedule& schedule);
  // Called after every step; returning false ends the run.
  void after_step(std::function<bool(int64_t step, double loss)> f);

  FitResult fit(const Source& source);
  template <size_t N>
  FitResult fit(data::Loader<N>& loader) {
    return fit(source_of(loader));
  }

 private:
  struct Run;
  nn::Module& model_;
  optim::Optimizer& optimizer_;
  LossFn loss_;
  TrainerOptions options_;
  std::function<Metrics()> evaluate_;
  optim::Schedule* schedule_ = nullptr;
  std::function<bool(int64_t, double)> after_step_;
  // Captured: the loss with its gradients, and the update.
  Function<Tensor, Batch> compute_;
  Function<void> apply_;
};

}  // namespace sluice::train
