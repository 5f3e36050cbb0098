// Every model of examples/models learns: its loss falls on a batch.
#include <gtest/gtest.h>

#include "examples/models/gan.h"
#include "examples/models/task.h"

namespace sluice::models {
namespace {

struct Case {
  const char* name;
  TaskOptions options;
  int64_t batch;
  const char* optimizer;
  double lr;
  int steps;
  float left;  // the share of the first loss that may be left
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Models : public testing::TestWithParam<Case> {};

TEST_P(Models, LossFalls) {
  const Case& c = GetParam();
  manual_seed(3);
  std::unique_ptr<Task> task = make_task(c.name, c.options);
  auto optimizer =
      make_optimizer(c.optimizer, c.lr, task->model().parameters());
  auto step = train_step(*task, *optimizer);
  Task::Batch batch = task->batch(c.batch, /*seed=*/1);
  float first = step(batch).item<float>(), last = first;
  for (int i = 1; i < c.steps; ++i) last = step(batch).item<float>();
  EXPECT_LT(last, c.left * first) << "it began at " << first;
  EXPECT_EQ(step.traces().size(), 1u);
}

constexpr TaskOptions kSmall = {
    .width = 0.0625, .image = 64, .classes = 4, .dropout = 0};
constexpr TaskOptions With(int64_t image) {
  TaskOptions options = kSmall;
  options.image = image;
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    All, Models,
    testing::Values(
        Case{"mlp", {}, 64, "adagrad", 0.02, 15, 0.5f},
        Case{"lenet", {}, 32, "adam", 0.002, 30, 0.5f},
        Case{"alexnet", kSmall, 8, "adam", 0.003, 40, 0.6f},
        Case{"overfeat", With(95), 8, "adam", 0.003, 40, 0.6f},
        Case{"vgg_a", With(32), 8, "adam", 0.003, 60, 0.6f},
        Case{"googlenet", kSmall, 8, "momentum", 0.05, 20, 0.6f},
        Case{"resnet50", kSmall, 8, "momentum", 0.02, 20, 0.6f},
        Case{"mobilenet_v2", kSmall, 8, "momentum", 0.05, 30, 0.6f},
        Case{"ncf", {.width = 0.125}, 256, "adam", 0.01, 40, 0.5f},
        Case{"word2vec", {.width = 0.125}, 128, "adagrad", 0.5, 60, 0.7f},
        Case{"transformer", {.width = 0.125}, 4, "adamw", 0.01, 25, 0.7f}),
    [](const auto& info) { return info.param.name; });

TEST(ModelsList, EveryModelIsTested) {
  EXPECT_EQ(task_kinds().size(), 11u) << "and a case above for each";
  try {
    make_task("lenet6");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("wanted one of mlp, lenet, "),
              std::string::npos)
        << e.what();
  }
}

// Names and sizes are those PyTorch's models have.
TEST(ModelsList, ParametersAreThoseOfThePapers) {
  auto count = [](const char* name) {
    return make_task(name)->model().num_parameters();
  };
  EXPECT_EQ(count("lenet"), 61706);
  EXPECT_EQ(count("resnet50"), 25557032);
  EXPECT_EQ(count("mobilenet_v2"), 3504872);
  auto resnet = make_task("resnet50", kSmall);
  StateDict state = resnet->model().state_dict();
  EXPECT_TRUE(state.contains("layer1.0.downsample.1.running_var"));
  EXPECT_TRUE(state.contains("layer4.2.conv3.weight"));
  EXPECT_TRUE(state.contains("fc.bias"));
}

TEST(ModelsGan, BothNetworksLearn) {
  manual_seed(1);
  Gan gan(32);
  auto digits = data::mnist("train").take(64).batch(64);
  auto step = function([&](Tensor images, Tensor noise) {
    Gan::Losses losses = gan.step(images, noise);
    return std::pair(losses.critic, losses.maker);
  });
  for (auto& [images, labels] : digits) {
    Tensor noise = random_normal({64, Gan::kNoise});
    float before = abs(mean(gan.make(noise)) - mean(images)).item<float>();
    float first = 0, last = 0;
    for (int i = 0; i < 150; ++i) {
      auto [critic, maker] = step(images, random_normal({64, Gan::kNoise}));
      last = critic.item<float>();
      if (i == 0) first = last;
    }
    EXPECT_LT(last, 0.7f * first) << "the critic tells them apart";
    float after = abs(mean(gan.make(noise)) - mean(images)).item<float>();
    EXPECT_LT(after, 0.8f * before) << "what is made gets as dark as digits";
  }
}

}  // namespace
}  // namespace sluice::models
