// Layers against loops written out, and what they refuse.
#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <cmath>

#include "sluice/front/front_test_util.h"

namespace sluice::nn {
namespace {

using Floats = std::vector<float>;

TEST(Linear, IsAProductPlusABias) {
  Linear layer{3, 2};
  layer.load_state_dict(
      {{"weight", constant({{1.f, 2.f, 3.f}, {-1.f, 0.f, 1.f}})},
       {"bias", constant({0.5f, -0.5f})}});
  EXPECT_EQ(
      layer(constant({{1.f, 1.f, 1.f}, {2.f, 0.f, 1.f}})).to_vector<float>(),
      (Floats{6.5, -0.5, 5.5, -1.5}));
  Tensor deep = layer(ones({2, 1, 4, 3}));
  EXPECT_EQ(deep.shape().ToString(), "[2,1,4,2]");
  EXPECT_EQ(layer(ones({3})).to_vector<float>(), (Floats{6.5, -0.5}));
  EXPECT_EQ(layer(ones({0, 5, 3})).shape().ToString(), "[0,5,2]");
  Contains(ErrorOf([&] { layer(ones({4, 4})); }),
           "linear: x is f32[4,4]; wanted a last axis of 3");
  Contains(ErrorOf([&] { layer(constant(1.f)); }), "x is a scalar");
  Contains(ErrorOf([&] { Linear(-1, 2); }), "Linear: in_features is -1");
}

// Weights that are arguments of a captured function have no sizes while it is
// recorded; x here has.
TEST(Linear, TakesWeightsOfUnknownSizes) {
  Tensor flat = ones({4, 3}), deep = ones({2, 4, 3});
  auto f = function([&](Tensor weight, Tensor bias) {
    return std::pair(linear(flat, weight, bias), linear(deep, weight, bias));
  });
  auto [y, z] = f(ones({2, 3}), zeros({2}));
  EXPECT_EQ(y.to_vector<float>(), Floats(8, 3));
  EXPECT_EQ(z.shape().ToString(), "[2,4,2]");
  EXPECT_EQ(z.to_vector<float>(), Floats(16, 3));
  Contains(ErrorOf([&] { f(ones({2, 5}), zeros({2})); }), "5");
}

TEST(Linear, StartsAsPyTorchDoes) {
  manual_seed(3);
  Linear layer{400, 50};
  double bound = 1 / std::sqrt(400.0), sum = 0, squares = 0, most = 0;
  Floats w = layer.weight.to_vector<float>();
  for (float v : w) {
    EXPECT_LE(std::abs(v), bound);
    most = std::max(most, std::abs(double(v)));
    sum += v;
    squares += double(v) * v;
  }
  EXPECT_GT(most, 0.99 * bound);
  EXPECT_NEAR(sum / double(w.size()), 0, bound / 50);
  EXPECT_NEAR(squares / double(w.size()), bound * bound / 3,
              bound * bound / 50);
  manual_seed(3);
  EXPECT_EQ(Linear(400, 50).weight.to_vector<float>(), w);
}

TEST(Conv2d, Refuses) {
  Contains(ErrorOf([] { Conv2d(4, 6, 3, {.groups = 4}); }),
           "Conv2d: groups is 4; wanted it to divide 4 and 6 channels");
  Contains(ErrorOf([] { Conv2d(4, 6, {3, 3, 3}); }),
           "Conv2d: kernel_size has 3 numbers; wanted one or 2");
  Contains(ErrorOf([] { Conv2d(4, 6, 0); }),
           "kernel_size is 0; wanted at least 1");
  Contains(ErrorOf([] { Conv2d(4, 6, 3, {.stride = 0}); }), "stride is 0");
  Contains(ErrorOf([] { Conv2d(0, 6, 3); }), "in_channels is 0");
  Contains(ErrorOf([] { Conv2d(1, 1, 3, {.padding_mode = "mirror"}); }),
           "padding_mode is \"mirror\"");
  Conv2d conv{4, 6, 3};
  Contains(ErrorOf([&] { conv(ones({2, 3, 8, 8})); }),
           "Conv2d: x is f32[2,3,8,8]; wanted [batch, 4, height, width]");
  Contains(ErrorOf([&] { conv(ones({4, 8, 8})); }),
           "wanted [batch, 4, height, width]");
  std::string text = ErrorOf([&] { conv(ones({1, 4, 2, 2})); });
  Contains(text, "in Conv2d(4, 6, kernel_size=3)");
}

TEST(BatchNorm2d, TracksStatistics) {
  BatchNorm2d norm{2};
  Tensor x = constant({1.f, 2.f, 3.f, 4.f, -1.f, -1.f, 1.f, 1.f});
  x = reshape(x, {1, 2, 2, 2});
  Floats y = norm(x).to_vector<float>();
  float s = 1 / std::sqrt(1.25f + 1e-5f);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(y[i], (i - 1.5f) * s, 1e-6);
  auto running = [&] {
    Floats all = norm.running_mean.to_vector<float>();
    for (float v : norm.running_var.to_vector<float>()) all.push_back(v);
    return all;
  };
  auto near = [](const Floats& got, const Floats& wanted) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_NEAR(got[i], wanted[i], 1e-6) << i;
    }
  };
  near(running(), {0.25f, 0, 0.9f + 0.5f / 3, 0.9f + 0.4f / 3});
  EXPECT_EQ(norm.num_batches_tracked.item<int64_t>(), 1);
  Floats before = running();
  norm.eval();
  y = norm(x).to_vector<float>();
  EXPECT_NEAR(y[0], (1 - 0.25f) / std::sqrt(before[2] + 1e-5f), 1e-6);
  EXPECT_EQ(running(), before);
  EXPECT_EQ(norm.num_batches_tracked.item<int64_t>(), 1);
  // A recorded function does the same, whatever the size of its batch.
  norm.train();
  norm.reset_running_stats();
  auto f = function([&](Tensor v) { return norm(v); });
  f(x);
  near(running(), {0.25f, 0, 0.9f + 0.5f / 3, 0.9f + 0.4f / 3});
  f(concat({x, x}));
  EXPECT_EQ(norm.num_batches_tracked.item<int64_t>(), 2);
  near(running(), {0.475f, 0, 0.9f * before[2] + 0.1f * 1.25f * 8 / 7,
                   0.9f * before[3] + 0.1f * 8 / 7});
  Contains(ErrorOf([&] { norm(ones({1, 2, 1, 1})); }),
           "wanted more than one number per channel in training");
  Contains(ErrorOf([&] { norm(ones({1, 3, 2, 2})); }),
           "BatchNorm2d: x is f32[1,3,2,2]; wanted 4 axes, of which axis 1 "
           "has 2");
}

TEST(Dropout, DrawsAnewAtEveryCall) {
  Dropout drop{0.25};
  Tensor x = ones({1000});
  auto check = [&](auto& f) {
    Floats a = f(x).template to_vector<float>();
    Floats b = f(x).template to_vector<float>();
    EXPECT_NE(a, b);
    int kept = 0;
    for (float v : a) {
      EXPECT_TRUE(v == 0 || std::abs(v - 4.f / 3) < 1e-6) << v;
      kept += v != 0;
    }
    EXPECT_NEAR(kept, 750, 100);
  };
  check(drop);
  auto f = function([&](Tensor v) { return drop(v); });
  check(f);
  drop.eval();
  EXPECT_EQ(drop(x).to_vector<float>(), Floats(1000, 1));
  Contains(ErrorOf([] { Dropout(1.5); }), "Dropout: p is 1.5; wanted 0 <= p");
  Contains(ErrorOf([] { Dropout(-0.1); }), "wanted 0 <= p <= 1");
  Dropout2d channels{0.5};
  Floats y = channels(ones({20, 5, 3})).to_vector<float>();
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], y[i / 3 * 3]);
}

TEST(Embedding, GradientsAreDenseOrSparse) {
  for (bool sparse : {false, true}) {
    Embedding table{5, 2, {.padding_idx = 1, .sparse = sparse}};
    Floats w = table.weight.to_vector<float>();
    EXPECT_EQ(w[2], 0);
    EXPECT_EQ(w[3], 0);
    Tensor ids = reshape(constant({4, 1, 4, 0}), {2, 2});
    Tensor rows = table(ids);
    EXPECT_EQ(rows.shape().ToString(), "[2,2,2]");
    sum(rows).backward();
    EXPECT_EQ(table.weight.grad().is_sparse(), sparse);
    EXPECT_EQ(table.weight.grad().to_dense().to_vector<float>(),
              (Floats{1, 1, 0, 0, 0, 0, 0, 0, 2, 2}));
    std::string text = ErrorOf([&] { table(constant({7})); });
    Contains(text, "7");
    Contains(text, "in Embedding(5, 2, padding_idx=1");
  }
  Contains(ErrorOf([] { Embedding(3, 2, {.padding_idx = 3}); }),
           "padding_idx is 3; wanted a row of 3");
}

}  // namespace
}  // namespace sluice::nn
