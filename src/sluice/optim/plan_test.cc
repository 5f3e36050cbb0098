// Imperative steps on small parameters run as a plan: nobody may notice.
#include "sluice/optim/optim_test_util.h"

namespace sluice::optim {
namespace {

TEST(StepAsPlan, LeavesParametersWhereTheyAre) {
  Tensor w = ones({3}).clone().requires_grad_();
  const void* memory = w.array().raw();
  Tensor row = w[1], same = w.detach();
  Adam optimizer({w}, {.lr = 0.5});
  for (int i = 0; i < 3; ++i) {
    w.set_grad(ones({3}));
    optimizer.step();
    EXPECT_EQ(w.array().raw(), memory);
  }
  EXPECT_NEAR(row.item<float>(), -0.5, 1e-5);
  EXPECT_EQ(same.to_vector<float>(), w.to_vector<float>());
}

TEST(StepAsPlan, TakesGradientsAsTheyComeAndGo) {
  std::vector<Tensor> ws;
  for (int i = 0; i < 5; ++i) {
    ws.push_back(zeros({4, 1}).clone().requires_grad_());
  }
  Momentum optimizer(ws, {.lr = 1, .momentum = 0.5});
  std::vector<double> wanted(5), speed(5);
  // More patterns than are recorded.
  for (int t = 0; t < 40; ++t) {
    optimizer.zero_grad();
    for (size_t i = 0; i < ws.size(); ++i) {
      if ((t >> i) % 2 == 0) continue;
      bool sparse = i == 1 && t % 3 == 0;
      Tensor all = constant({0, 1, 2, 3});
      sum(sparse ? gather(ws[i], all) : ws[i] * 1).backward();
      EXPECT_EQ(ws[i].grad().is_sparse(), sparse);
      speed[i] = 0.5 * speed[i] + 1;
      wanted[i] -= speed[i];
    }
    optimizer.step();
  }
  for (size_t i = 0; i < ws.size(); ++i) {
    ExpectNear(ws[i].to_vector<float>(), Doubles(4, wanted[i]), 1e-4);
  }
}

TEST(StepAsPlan, LargeAndSmallAreOneStep) {
  Tensor small = zeros({2}).clone().requires_grad_();
  Tensor large = zeros({40000}).clone().requires_grad_();
  Adam optimizer({small, large}, {.lr = 0.25});
  auto recorded = function([&] { optimizer.step(); });
  for (int t = 0; t < 6; ++t) {
    small.set_grad(TensorOf<float>({2}, Doubles(2, t + 1)));
    large.set_grad(TensorOf<float>({40000}, Doubles(40000, t + 1)));
    t < 4 ? optimizer.step() : recorded();
    EXPECT_EQ(optimizer.step_variable().tensor().item<int64_t>(), t + 1);
    EXPECT_NEAR(small[0].item<float>(), large[39999].item<float>(), 1e-6);
  }
  EXPECT_LT(small[0].item<float>(), -1);
}

// A group that joins later, a rate that changes, a plan in between.
TEST(StepAsPlan, SeesWhatChanges) {
  Tensor a = zeros({1}).clone().requires_grad_();
  Tensor b = zeros({1}).clone().requires_grad_();
  SGD optimizer({a}, {.lr = 1});
  a.set_grad(ones({1}));
  b.set_grad(ones({1}));
  optimizer.step();
  optimizer.set_lr(0.5);
  optimizer.step();
  optimizer.add_param_group({b}, {.lr = 2});
  optimizer.step();
  EXPECT_EQ(a.item<float>(), -2);
  EXPECT_EQ(b.item<float>(), -2);
}

struct CountingOptions {
  double lr = 1;
};
// Code that does something else every time is run every time.
class Counting : public OptimizerOf<CountingOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Update(Param& p, const Tensor& grad) override {
    p.subtract(++count_ * grad);
  }
  int count_ = 0;
};

TEST(StepAsPlan, IsNotForCodeThatSaysNothing) {
  Tensor w = zeros({1}).clone().requires_grad_();
  Counting optimizer({w});
  w.set_grad(ones({1}));
  for (int i = 0; i < 3; ++i) optimizer.step();
  EXPECT_EQ(w.item<float>(), -6);
}

TEST(StepAsPlan, ErrorsComeThrough) {
  Tensor w = ones({2}).clone().requires_grad_();
  Adam optimizer({w});
  w.set_grad(ones({2}));
  optimizer.step();
  Floats before = w.to_vector<float>();
  w.set_grad(ones({2, 2}));
  EXPECT_THROW(optimizer.step(), Error);
  EXPECT_EQ(optimizer.step_variable().tensor().item<int64_t>(), 1);
  EXPECT_EQ(w.to_vector<float>(), before);
  w.set_grad(ones({2}));
  optimizer.step();
  EXPECT_LT(w[0].item<float>(), before[0]);
}

}  // namespace
}  // namespace sluice::optim
