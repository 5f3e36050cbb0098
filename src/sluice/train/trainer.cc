#include "sluice/train/trainer.h"

#include <cmath>
#include <cstdio>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/front/function.h"
#include "sluice/io/load_into.h"
#include "sluice/ops.h"
#include "sluice/optim/clip.h"
#include "sluice/train/run_files.h"
#include "sluice/train/step_error.h"
#include "sluice/train/stop_signals.h"

namespace sluice::train {

// One call of fit.
struct Trainer::Run {
  Run(Trainer& trainer, const Source& source)
      : trainer(trainer),
        options(trainer.options_),
        source(source),
        files(options) {
    if (options.early_stopping) patience.emplace(*options.early_stopping);
    if (options.stop_on_signals) signals.emplace();
  }

  void Resume();
  void ShowProgress();
  bool Step(const Batch& batch);  // false: the run ends here
  bool EndPass();
  void Save();
  // Says so.
  bool NothingLeft();
  void Loop();

  Trainer& trainer;
  const TrainerOptions& options;
  const Source& source;
  RunFiles files;
  std::optional<Patience> patience;
  std::optional<StopSignals> signals;
  std::optional<report::Progress> progress;
  FitResult result;
  int64_t saved = -1;  // the step of the last checkpoint
};

Trainer::Trainer(nn::Module& model, optim::Optimizer& optimizer, LossFn loss,
                 TrainerOptions options)
    : model_(model),
      optimizer_(optimizer),
      loss_(std::move(loss)),
      options_(std::move(options)),
      compute_(function(
          [this](const Batch& batch) {
            optimizer_.zero_grad();
            Tensor value = loss_(batch);
            value.backward();
            if (options_.clip_norm > 0) {
              optim::clip_grad_norm_(model_.parameters(), options_.clip_norm);
            }
            return cast(value.detach(), DType::kF64);
          },
          {.name = "loss and gradients"})),
      apply_(function([this] { optimizer_.step(); }, {.name = "update"})) {
  if (options_.epochs < 1 && options_.max_steps < 1) {
    throw Error(InvalidArgument(
        StrCat("[Trainer] epochs is ", options_.epochs, " and max_steps is ",
               options_.max_steps, "; wanted one of them to be 1 or more")));
  }
}

Trainer::~Trainer() = default;

void Trainer::evaluate_with(std::function<Metrics()> evaluate) {
  evaluate_ = std::move(evaluate);
}
void Trainer::schedule_with(optim::Schedule& schedule) {
  schedule_ = &schedule;
}
void Trainer::after_step(std::function<bool(int64_t, double)> f) {
  after_step_ = std::move(f);
}

FitResult Trainer::fit(const Source& source) {
  Run run(*this, source);
  run.Resume();
  run.files.Open(run.result.resumed);
  run.ShowProgress();
  model_.train();
  run.Loop();
  if (run.saved != run.result.steps) run.Save();
  if (run.progress) run.progress->finish();
  run.files.Finish();
  return std::move(run.result);
}

void Trainer::Run::Resume() {
  std::optional<io::Snapshot> last = files.Load();
  if (!last) return;
  io::load_into(trainer.model_.state_dict(), last->at("model"));
  trainer.optimizer_.load_state_dict(last->at("optimizer"));
  if (trainer.schedule_) {
    trainer.schedule_->load_state_dict(last->at("schedule"));
  }
  if (patience) {
    if (const io::Json* kept = last->extra.find("early_stopping")) {
      const io::Json& best = kept->at("best");
      patience->Restore(best.is_null() ? std::numeric_limits<double>::infinity()
                                       : best.as_double(),
                        kept->at("bad").as_int());
    }
  }
  source.restore(last->data);
  set_random_state(last->random);
  result.steps = result.resumed = saved = last->step;
  result.loss = last->metric("train_loss");
}

void Trainer::Run::ShowProgress() {
  if (!options.show_progress) return;
  report::ProgressOptions shown = options.progress;
  shown.start = result.steps;
  shown.total = source.size ? *source.size * options.epochs : 0;
  if (options.max_steps > 0 &&
      (shown.total == 0 || options.max_steps < shown.total)) {
    shown.total = options.max_steps;
  }
  progress.emplace(std::move(shown));
}

void Trainer::Run::Save() {
  saved = result.steps;
  if (!files.saves()) return;
  io::Snapshot now;
  now.step = result.steps;
  now.set("model", trainer.model_.state_dict());
  now.set("optimizer", trainer.optimizer_.state_dict());
  if (trainer.schedule_) now.set("schedule", trainer.schedule_->state_dict());
  now.data = source.state();
  now.metrics = result.metrics;
  now.metrics.emplace_back("train_loss", result.loss);
  if (patience) {
    // JSON has no infinity; null stands for it.
    io::Json best;
    if (std::isfinite(patience->best())) best = io::Json(patience->best());
    now.extra["early_stopping"] =
        io::Json::object({{"best", best}, {"bad", io::Json(patience->bad())}});
  }
  files.Save(result.steps, now);
}

bool Trainer::Run::Step(const Batch& batch) {
  double loss = trainer.compute_(batch).item<double>();
  int64_t step = result.steps + 1;
  if (!std::isfinite(loss)) {
    if (progress) progress->finish();
    files.Finish();
    throw Error(ExplainLoss(trainer.model_, trainer.loss_, batch, step, loss));
  }
  trainer.apply_();
  double lr = trainer.optimizer_.lr();
  if (trainer.schedule_) trainer.schedule_->step();
  result.steps = step;
  result.loss = loss;
  if (options.log_every > 0 && step % options.log_every == 0) {
    files.Log(step, {{"loss", loss}, {"lr", lr}});
    result.curve.emplace_back(static_cast<double>(step), loss);
  }
  if (progress) progress->update(loss);
  if (options.save_every > 0 && step % options.save_every == 0) Save();
  return !trainer.after_step_ || trainer.after_step_(step, loss);
}

bool Trainer::Run::EndPass() {
  bool enough = false;
  if (trainer.evaluate_) {
    NoGrad off;
    trainer.model_.eval();
    result.metrics = trainer.evaluate_();
    trainer.model_.train();
    Metrics named;
    std::string line = StrCat("epoch ", source.epoch());
    for (const auto& [name, value] : result.metrics) {
      named.emplace_back("eval/" + name, value);
      char text[64];
      std::snprintf(text, sizeof text, "  %s %.4g", name.c_str(), value);
      line += text;
      if (patience && name == patience->rule().metric) {
        enough = patience->Tell(value);
      }
    }
    files.Log(result.steps, named);
    if (progress) progress->note(line);
  }
  if (options.save_every == 0) Save();
  return !enough;
}

bool Trainer::Run::NothingLeft() {
  bool passes = source.epoch() >= static_cast<uint64_t>(options.epochs);
  bool steps = options.max_steps > 0 && result.steps >= options.max_steps;
  if (!passes && !steps) return false;
  result.end = FitResult::End::kNothing;
  std::string text = steps
                         ? StrCat("all ", options.max_steps, " steps are done")
                         : StrCat("the data has had ", source.epoch(), " of ",
                                  options.epochs, " epochs");
  text = StrCat("[Trainer] nothing is trained: ", text,
                result.resumed >= 0
                    ? StrCat(" in \"", EscapeString(options.dir), "\"")
                    : "",
                "; wanted more of them, or a new run");
  if (progress) progress->note(text);
  if (options.checkpoints.on_message) {
    options.checkpoints.on_message(text);
  } else if (!progress) {
    std::fprintf(stderr, "sluice: %s\n", text.c_str());
  }
  return true;
}

void Trainer::Run::Loop() {
  if (NothingLeft()) return;
  while (source.epoch() < static_cast<uint64_t>(options.epochs)) {
    if (options.max_steps > 0 && result.steps >= options.max_steps) return;
    std::optional<Batch> batch = source.next();
    if (!batch) {
      if (EndPass()) continue;
      result.end = FitResult::End::kEarly;
      return;
    }
    bool goes_on = Step(*batch);
    if (signals && signals->caught()) {
      result.end = FitResult::End::kSignal;
      if (progress) progress->note("stopped by a signal");
      return;
    }
    if (!goes_on) return;
  }
}

}  // namespace sluice::train
