// sluice demo: a small network learns to read handwritten digits.
#include <sluice/sluice.h>

#include <chrono>
#include <cstdio>
#include <iostream>

#include "apps/sluice/command.h"
#include "examples/models/lenet.h"

namespace sluice::app {

const char kDemoUsage[] =
    "usage: sluice demo [--epochs N] [--dir FOLDER] [--seed N]\n"
    "  Trains LeNet-5 on handwritten digits (MNIST, a part of it), then reads\n"
    "  digits it has not seen.\n"
    "  --epochs  passes over the training digits (default 15)\n"
    "  --dir     gets checkpoint, metrics and loss curve (default "
    "sluice-demo)\n"
    "  --seed    of the first weights and the order of digits (default 1)\n";

namespace {

constexpr double kWanted = 0.96;

void SaveCurve(const train::FitResult& result, const std::string& path) {
  std::vector<double> steps, losses;
  for (const auto& [step, loss] : result.curve) {
    steps.push_back(step);
    losses.push_back(loss);
  }
  report::Plot plot({.title = "LeNet-5 learns to read digits",
                     .y_label = "cross entropy",
                     .log_y = true,
                     .smooth = 0.05});
  plot.line("training loss", steps, losses).save(path);
}

}  // namespace

int RunDemo(Arguments arguments) {
  bool help = arguments.flag("--help") || arguments.flag("-h");
  int64_t epochs = arguments.number("--epochs", 15, 1, 1000);
  std::string dir = arguments.text("--dir", "sluice-demo");
  int64_t seed = arguments.number("--seed", 1, 0, 1 << 30);
  arguments.finish();
  if (help) {
    std::fputs(kDemoUsage, stdout);
    return kDone;
  }

  auto began = std::chrono::steady_clock::now();
  manual_seed(static_cast<uint64_t>(seed));
  auto digits = data::mnist("train", {.flat = false});
  auto unseen = data::mnist("test", {.flat = false}).batch(500);
  std::printf("LeNet-5 learns to read %lld handwritten digits.\n\n",
              static_cast<long long>(digits.size().value_or(0)));
  models::LeNet net;
  std::cout << nn::summary(net, {{1, 1, 28, 28}}) << "\n" << std::flush;

  data::DataLoader loader(digits, {.batch_size = 64,
                                   .shuffle = true,
                                   .num_workers = 1,
                                   .drop_last = true,
                                   .seed = static_cast<uint64_t>(seed)});
  optim::Adam adam(net.parameters(), {.lr = 2e-3});
  optim::CosineAnnealing schedule(
      adam, {.steps = epochs * loader.size().value_or(1)});
  train::Trainer trainer(
      net, adam,
      [&](const train::Trainer::Batch& batch) {
        return cross_entropy(net(batch[0]), batch[1]);
      },
      {.epochs = epochs,
       .dir = dir,
       .resume = false,
       .log_every = 5,
       .progress = {.items_per_step = 64, .unit = "digits"}});
  trainer.schedule_with(schedule);
  trainer.evaluate_with([&] { return train::classify(net, unseen).metrics(); });
  train::FitResult result = trainer.fit(loader);

  train::Classified seen = train::classify(net, unseen);
  std::printf(
      "\nDigits it has not seen: rows are what they are, columns what "
      "they are taken for.\n\n%s\n",
      seen.confusion.text().c_str());
  SaveCurve(result, dir + "/loss.png");
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
          .count();
  double accuracy = seen.confusion.accuracy();
  std::printf(
      "%.2f %% of %lld are read right, after %lld steps and %.1f seconds.\n"
      "  %s/loss.png      the loss curve\n"
      "  %s/checkpoints   weights and everything a run needs to go on\n"
      "  %s               metrics; `tensorboard --logdir` reads the events\n",
      100 * accuracy, static_cast<long long>(seen.confusion.total()),
      static_cast<long long>(result.steps), seconds, dir.c_str(), dir.c_str(),
      dir.c_str());
  if (result.end == train::FitResult::End::kSignal) return kFailed;
  if (accuracy >= kWanted) return kDone;
  std::printf("That is LESS than %.0f %%.\n", 100 * kWanted);
  return kFailed;
}

}  // namespace sluice::app
