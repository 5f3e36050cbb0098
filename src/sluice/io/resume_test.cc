// A run that was saved, thrown away and resumed is bit-equal to one that never
// stopped: parameters, momentum, random numbers and the position in the data.
#include "sluice/io/checkpoint_test_util.h"
#include "sluice/io/load_into.h"

namespace sluice::io {
namespace {

// A small program: two layers with dropout, momentum written by hand, data
// drawn by position, one captured step.
struct Training {
  Tensor w1 = (random_uniform({4, 16}) - 0.5f).clone();
  Tensor w2 = (random_uniform({16, 1}) - 0.5f).clone();
  Tensor m1 = zeros({4, 16}).clone(), m2 = zeros({16, 1}).clone();
  Tensor rate = constant(0.05f).clone();
  int64_t position = 0;
  bool captured;
  std::vector<float> losses;
  Function<Tensor, Tensor> step;

  explicit Training(bool as_plan)
      : captured(as_plan),
        step(function(std::function<Tensor(Tensor)>(
            [this](Tensor x) { return Step(x); }))) {
    w1.requires_grad_();
    w2.requires_grad_();
  }
  Training(const Training&) = delete;

  Tensor Step(const Tensor& x) {
    Tensor hidden = dropout(tanh(matmul(x, w1)), {.rate = 0.3}).y;
    Tensor noise = random_uniform({8, 1});
    Tensor loss = mean(square(matmul(hidden, w2) - noise));
    std::vector<Tensor> g = grad(loss, {w1, w2});
    NoGrad off;
    m1.mul_(0.9f).add_(g[0]);
    m2.mul_(0.9f).add_(g[1]);
    w1.sub_(rate * m1);
    w2.sub_(rate * m2);
    rate.mul_(0.97f);
    return loss;
  }

  void Train(int steps) {
    for (int i = 0; i < steps; ++i, ++position) {
      std::vector<float> batch;
      for (int64_t k = 0; k < 32; ++k) {
        batch.push_back(static_cast<float>((position * 37 + k * 11) % 19) / 19);
      }
      Tensor x = constant(Array::Of<float>({8, 4}, batch));
      losses.push_back((captured ? step(x) : Step(x)).item<float>());
      if (i % 3 == 0) random_uniform({3});  // others draw, too
    }
  }

  StateDict Model() const { return {{"w1", w1}, {"w2", w2}}; }
  StateDict Optimizer() const {
    return {{"m1", m1}, {"m2", m2}, {"rate", rate}};
  }
};

class Resume : public testing::TestWithParam<bool> {};

TEST_P(Resume, IsBitEqualToNeverStopping) {
  TempFolder folder;
  manual_seed(42);
  Training whole(GetParam());
  whole.Train(10);
  whole.Train(10);

  manual_seed(42);
  {
    Training first(GetParam());
    first.Train(10);
    CheckpointManager checkpoints(folder.path());
    Snapshot now;
    now.set("model", first.Model());
    now.set("optimizer", first.Optimizer());
    now.data = std::to_string(first.position);
    checkpoints.save(10, now);
    first.Train(3);  // goes on while it is written, and is lost
  }
  manual_seed(7);  // another process
  Training second(GetParam());
  Snapshot last = *CheckpointManager(folder.path()).load_latest();
  load_into(second.Model(), last.at("model"));
  load_into(second.Optimizer(), last.at("optimizer"));
  second.position = std::stoll(last.data);
  set_random_state(last.random);
  second.Train(10);

  EXPECT_EQ(second.losses,
            std::vector<float>(whole.losses.begin() + 10, whole.losses.end()));
  for (auto [a, b] : {std::pair(whole.Model(), second.Model()),
                      std::pair(whole.Optimizer(), second.Optimizer())}) {
    for (const auto& [name, tensor] : a) {
      EXPECT_TRUE(tensor.array().BitEquals(b.at(name).array())) << name;
    }
  }
  EXPECT_NE(whole.losses[9], whole.losses[19]);
}

INSTANTIATE_TEST_SUITE_P(ImperativeAndCaptured, Resume, testing::Bool());

}  // namespace
}  // namespace sluice::io
