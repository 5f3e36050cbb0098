#include "sluice/train/trainer.h"

#include <signal.h>

#include <cmath>
#include <fstream>

#include "sluice/front/front_test_util.h"
#include "sluice/train/train_test_util.h"

namespace sluice::train {
namespace {

TrainerOptions Quiet(TrainerOptions options) {
  options.show_progress = false;
  return options;
}

std::string Text(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> Names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Trainer, LearnsAndTells) {
  manual_seed(1);
  CornerNet net;
  optim::Adam adam(net.parameters(), {.lr = 0.05});
  data::Loader<2> loader(Corners().shuffle(96, 1).batch(16));
  TestFolder folder;
  Trainer trainer(net, adam, CornerLoss(net),
                  Quiet({.epochs = 8, .dir = folder.path(), .log_every = 6}));
  bool training = true;
  trainer.evaluate_with([&] {
    training = net.training();
    return classify(net, Corners().batch(32), 3).metrics();
  });
  FitResult result = trainer.fit(loader);
  EXPECT_EQ(result.end, FitResult::End::kDone);
  EXPECT_EQ(result.steps, 48);
  EXPECT_EQ(result.curve.size(), 8u);
  EXPECT_FALSE(training) << "evaluation is in eval()";
  EXPECT_TRUE(net.training());
  ASSERT_EQ(result.metrics[1].first, "accuracy");
  EXPECT_GT(result.metrics[1].second, 0.9);

  std::string csv = Text(folder.path() + "/metrics.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "step,loss,lr,eval/loss,eval/accuracy");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 17);
  EXPECT_NE(Text(folder.path() + "/metrics.jsonl").find("\"step\": 48"),
            std::string::npos);
  std::vector<std::string> kept = Names(folder.path() + "/checkpoints");
  EXPECT_EQ(kept, (std::vector<std::string>{"step_00000036", "step_00000042",
                                            "step_00000048"}));
  std::vector<std::string> all = Names(folder.path());
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const std::string& n) {
    return n.starts_with("events.out.tfevents");
  }));
}

// The elements of everything a run has at its end.
std::vector<float> EndOf(int64_t stop_at, const std::string& dir) {
  auto run = [&](int64_t max_steps) {
    CornerNet net;
    optim::Adam adam(net.parameters(), {.lr = 0.05});
    optim::CosineAnnealing schedule(adam, {.steps = 40});
    data::Loader<2> loader(Corners().shuffle(50, 3).batch(10).prefetch(2));
    Trainer trainer(net, adam, CornerLoss(net),
                    Quiet({.epochs = 4,
                           .max_steps = max_steps,
                           .dir = dir,
                           .events = false}));
    trainer.schedule_with(schedule);
    FitResult result = trainer.fit(loader);
    std::vector<float> end = {static_cast<float>(result.loss),
                              static_cast<float>(result.steps),
                              static_cast<float>(adam.lr())};
    for (const auto& [name, tensor] : net.state_dict()) {
      std::vector<float> values = tensor.to_vector<float>();
      end.insert(end.end(), values.begin(), values.end());
    }
    return end;
  };
  manual_seed(7);
  if (stop_at > 0) run(stop_at);
  manual_seed(99);  // a new process would begin elsewhere
  if (stop_at == 0) manual_seed(7);
  return run(0);
}

TEST(Trainer, AResumedRunIsBitEqualToOneThatNeverStopped) {
  TestFolder one, two, three;
  std::vector<float> whole = EndOf(0, one.path());
  EXPECT_EQ(EndOf(13, two.path()), whole) << "stopped within a pass";
  EXPECT_EQ(EndOf(20, three.path()), whole) << "stopped between passes";
  EXPECT_EQ(Text(two.path() + "/metrics.csv"),
            Text(one.path() + "/metrics.csv"));
}

TEST(Trainer, SignalsEndItWithACheckpoint) {
  for (int signal : {SIGINT, SIGTERM}) {
    TestFolder folder;
    manual_seed(1);
    CornerNet net;
    optim::SGD sgd(net.parameters(), {.lr = 0.1});
    data::Loader<2> loader(Corners().batch(16));
    Trainer trainer(net, sgd, CornerLoss(net),
                    Quiet({.epochs = 100, .dir = folder.path()}));
    trainer.after_step([&](int64_t step, double) {
      if (step == 9) raise(signal);
      return true;
    });
    FitResult result = trainer.fit(loader);
    EXPECT_EQ(result.end, FitResult::End::kSignal);
    EXPECT_EQ(result.steps, 9);
    io::Snapshot last = io::load_checkpoint(folder.path() + "/checkpoints");
    EXPECT_EQ(last.step, 9);
    EXPECT_EQ(last.at("model").at("fc1.bias").to_vector<float>(),
              net.fc1.bias.to_vector<float>());
  }
}

TEST(Trainer, StopsWhenNothingGetsBetter) {
  CornerNet net;
  optim::SGD sgd(net.parameters(), {.lr = 0.1});
  data::Loader<2> loader(Corners().batch(48));
  Trainer trainer(
      net, sgd, CornerLoss(net),
      Quiet({.epochs = 50,
             .early_stopping = EarlyStopping{
                 .metric = "score", .patience = 2, .larger_is_better = true}}));
  int64_t passes = 0;
  const double scores[] = {1, 2, 3, 3, 2, 3, 9};
  trainer.evaluate_with([&] { return Metrics{{"score", scores[passes++]}}; });
  FitResult result = trainer.fit(loader);
  EXPECT_EQ(result.end, FitResult::End::kEarly);
  EXPECT_EQ(passes, 6) << "three that were no better";
}

TEST(Trainer, ALossThatIsNotFiniteNamesStepOpAndLine) {
  TestFolder folder;
  manual_seed(2);
  CornerNet net;
  optim::SGD sgd(net.parameters(), {.lr = 0.1});
  data::Loader<2> loader(Corners().batch(16));
  Tensor shift = constant(1.f).clone();
  Trainer trainer(
      net, sgd,
      [&](const Trainer::Batch& batch) {
        return cross_entropy(net(batch[0]), batch[1]) + log(shift);
      },
      Quiet({.epochs = 10, .dir = folder.path(), .save_every = 2}));
  std::vector<float> before;
  trainer.after_step([&](int64_t step, double) {
    if (step == 5) {
      shift.sub_(2);  // log(-1)
      before = net.fc1.weight.to_vector<float>();
    }
    return true;
  });
  std::string text = ErrorOf([&] { trainer.fit(loader); });
  Contains(text, "the loss of step 6 is nan; it comes from [Log] element 0");
  Contains(text, "trainer_test.cc:");
  EXPECT_EQ(net.fc1.weight.to_vector<float>(), before)
      << "the update was not made";
  EXPECT_EQ(io::load_checkpoint(folder.path() + "/checkpoints").step, 4);
}

TEST(Trainer, SpoiledParametersAndDataAreNamed) {
  CornerNet net;
  optim::SGD sgd(net.parameters(), {.lr = 0.1});
  Trainer trainer(net, sgd, CornerLoss(net), Quiet({.epochs = 2}));
  {
    std::vector<int64_t> labels = {0, 1, 2, 0};
    data::Loader<2> bad(
        data::from_tensors(full({4, 2}, INFINITY).clone(), constant(labels))
            .batch(4));
    Contains(ErrorOf([&] { trainer.fit(bad); }),
             "component 0 of its batch, f32[4,2] with 8 not finite");
  }
  {
    NoGrad off;
    net.fc2.bias.fill_(NAN);
  }
  data::Loader<2> loader(Corners().batch(16));
  Contains(ErrorOf([&] { trainer.fit(loader); }),
           "parameter \"fc2.bias\" has 3 of 3 elements that are not finite");
}

// It trained nothing and said nothing.
TEST(Trainer, FinishedRunThatIsBegunAgainSaysSo) {
  TestFolder folder;
  std::vector<std::string> said;
  auto fit = [&](int64_t epochs) {
    CornerNet net;
    optim::SGD sgd(net.parameters(), {.lr = 0.1});
    TrainerOptions options = Quiet({.epochs = epochs, .dir = folder.path()});
    options.checkpoints.on_message = [&](const std::string& text) {
      said.push_back(text);
    };
    Trainer trainer(net, sgd, CornerLoss(net), options);
    data::Loader<2> loader(Corners().batch(16));
    return trainer.fit(loader);
  };
  FitResult once = fit(2);
  EXPECT_EQ(once.end, FitResult::End::kDone);
  EXPECT_TRUE(said.empty());
  FitResult again = fit(2);
  EXPECT_EQ(again.end, FitResult::End::kNothing);
  EXPECT_EQ(again.steps, once.steps);
  ASSERT_EQ(said.size(), 1u);
  Contains(said[0], "nothing is trained: the data has had 2 of 2 epochs in");
  EXPECT_GT(fit(3).steps, once.steps);
}

TEST(Trainer, RefusesToDoNothing) {
  CornerNet net;
  optim::SGD sgd(net.parameters(), {.lr = 0.1});
  Contains(ErrorOf([&] { Trainer(net, sgd, CornerLoss(net), {.epochs = 0}); }),
           "[Trainer] epochs is 0 and max_steps is 0");
}

TEST(Trainer, GradientsAreClipped) {
  CornerNet net;
  net.eval();
  optim::SGD sgd(net.parameters(), {.lr = 1});
  data::Loader<2> loader(Corners().batch(96));
  Trainer trainer(net, sgd, CornerLoss(net),
                  Quiet({.epochs = 1, .clip_norm = 0.01}));
  trainer.fit(loader);
  std::vector<Tensor> gradients;
  for (const Tensor& p : net.parameters()) gradients.push_back(p.grad());
  EXPECT_NEAR(optim::global_norm(gradients).item<float>(), 0.01f, 1e-5f);
}

}  // namespace
}  // namespace sluice::train
