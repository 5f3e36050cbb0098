// Memory that runs out in a training step, whichever way it is run: a session
// with loops and an optimizer, a captured function, imperatively with a module
// and an optimizer, and the pipeline that brings the batches. Wanted for every
// n: an error or the result; the process lives, and what comes next is right.
// Not under sanitizers, which replace the allocator themselves.
#include <cmath>

#include "sluice/base/failing_allocation_test_util.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

// `step` gives the loss; all that it makes is new each time.
template <class F>
void ExpectEachTimeAnErrorOrTheLoss(F step) {
  const float want = step();
  int64_t runs = 0;
  ForEveryAllocation(
      [&]() -> Status {
        EXPECT_EQ(step(), want);
        return OkStatus();
      },
      // The next run begins with nothing either: a few are enough.
      [&] {
        if (++runs % 16 == 0) ASSERT_EQ(step(), want);
      });
}

// A recurrent loop whose weight is trained.
struct LoopModel {
  LoopModel() {
    GraphScope building(graph);
    x = placeholder(f32, Shape{3, 4}, "x");
    Variable w = variable(ones({4, 4}) * 0.1f, "w");
    auto [i, h] = while_loop([](Tensor i, Tensor) { return i < 3; },
                             [&](Tensor i, Tensor h) {
                               return std::tuple(i + 1, tanh(matmul(h, w)));
                             },
                             constant(0), x);
    loss = mean(square(h));
    train = optim::Adam(0.01).minimize(loss);
    init = initialize_variables(graph);
  }
  Graph graph;
  Tensor x, loss;
  Operation train, init;
};

Array Batch() {
  Array x = Array::Zeros(DType::kF32, {3, 4});
  for (int i = 0; i < 12; ++i)
    x.mutable_data<float>()[i] = 0.1f * static_cast<float>(i);
  return x;
}

TEST(FailingSteps, OfANewSessionOverALoopWithAnOptimizer) {
  LoopModel model;
  ExpectEachTimeAnErrorOrTheLoss([&] {
    Session session(model.graph);
    session.run(model.init);
    session.run({model.loss}, {{model.x, Batch()}}, {model.train});
    return session.run(model.loss, {{model.x, Batch()}}).data<float>()[0];
  });
}

TEST(FailingSteps, OfAGraphThatIsBuilt) {
  ExpectEachTimeAnErrorOrTheLoss([] {
    LoopModel model;
    Session session(model.graph);
    session.run(model.init);
    return session.run(model.loss, {{model.x, Batch()}}).data<float>()[0];
  });
}

// A small network, its optimizer, and a step of both.
struct Training {
  Tensor Step(const Tensor& x) {
    Tensor loss = mean(square(last(relu(first(x)))));
    adam.zero_grad();
    loss.backward();
    adam.step();
    return loss;
  }
  std::vector<Tensor> Parameters() {
    return {first.weight, first.bias, last.weight, last.bias};
  }
  // Begins the same way each time.
  const bool seeded = (manual_seed(3), true);
  nn::Linear first{4, 5}, last{5, 1};
  optim::Adam adam{Parameters(), {.lr = 0.01}};
};

TEST(FailingSteps, OfANetworkImperatively) {
  ExpectEachTimeAnErrorOrTheLoss([] {
    Training training;
    Tensor x = constant(Batch());
    training.Step(x);
    return training.Step(x).item<float>();
  });
}

TEST(FailingSteps, OfANetworkCaptured) {
  ExpectEachTimeAnErrorOrTheLoss([] {
    Training training;
    Tensor x = constant(Batch());
    auto step = function([&](Tensor x) { return training.Step(x); });
    step(x);
    return step(x).item<float>();
  });
}

// A recording is there already: a call that fails leaves it usable, and
// parameters that are whole.
TEST(FailingSteps, OfACallOfACapturedStep) {
  Training training;
  Tensor x = constant(Batch());
  auto step = function([&](Tensor x) { return training.Step(x); });
  for (int i = 0; i < 3; ++i) step(x);
  ForEveryAllocation(
      [&]() -> Status {
        step(x);
        return OkStatus();
      },
      [&] {
        ASSERT_TRUE(std::isfinite(step(x).item<float>()));
        for (const Tensor& p : training.Parameters()) {
          for (float v : p.detach().to_vector<float>()) {
            ASSERT_TRUE(std::isfinite(v));
          }
        }
      });
  EXPECT_EQ(step.traces().size(), 1u);
}

TEST(FailingSteps, OfAPipelineWithThreads) {
  auto sum = [] {
    auto batches =
        data::range(20)
            .shuffle(20, 1)
            .map([](Tensor x) { return x * int64_t{2}; }, {.threads = 2})
            .batch(4)
            .prefetch(2);
    float total = 0;
    for (auto batch : batches) {
      for (int64_t v : batch[0].to_vector<int64_t>()) {
        total += static_cast<float>(v);
      }
    }
    return total;
  };
  ExpectEachTimeAnErrorOrTheLoss(sum);
}

}  // namespace
}  // namespace sluice
