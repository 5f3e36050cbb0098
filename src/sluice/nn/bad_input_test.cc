// What layers refuse, and what they say; small layers on the way.
#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <thread>

#include "sluice/front/front_test_util.h"

namespace sluice::nn {
namespace {

using Floats = std::vector<float>;

TEST(BadInput, OfConvolutionsAndPools) {
  Contains(
      ErrorOf([] { ConvTranspose2d(2, 3, 3, {.groups = 2}); }),
      "ConvTranspose2d: groups is 2; wanted it to divide 2 and 3 channels");
  Contains(ErrorOf([] { ConvTranspose2d(2, 2, 3, {.output_padding = 1}); }),
           "output_padding is 1; wanted less than stride 1 or dilation 1");
  Contains(ErrorOf([] { Conv1d(1, 1, 3, {.padding = -1}); }),
           "Conv1d: padding is -1; wanted at least 0");
  Contains(
      ErrorOf([] { Conv2d(1, 1, 3, {.stride = 2, .same_padding = true}); }),
      "Conv2d: stride is 2; wanted 1 for same_padding");
  Contains(ErrorOf([] { MaxPool2d(2, {.padding = 2}); }),
           "MaxPool2d: padding is 2; wanted at most half of kernel_size 2");
  Contains(ErrorOf([] { AvgPool1d({2, 2}); }),
           "AvgPool1d: kernel_size has 2 numbers; wanted one");
  Contains(ErrorOf([] { AdaptiveAvgPool2d(0); }),
           "AdaptiveAvgPool2d: output_size is 0; wanted at least 1");
  MaxPool2d pool{2};
  Contains(ErrorOf([&] { pool(ones({2, 2})); }),
           "MaxPool2d: x is f32[2,2]; wanted [batch, channels, height, width]");
  ConvTranspose1d conv{2, 3, 3};
  Contains(ErrorOf([&] { conv(ones({1, 3, 5})); }),
           "ConvTranspose1d: x is f32[1,3,5]; wanted [batch, 2, length]");
}

TEST(BadInput, OfNorms) {
  Contains(ErrorOf([] { GroupNorm(3, 4); }),
           "GroupNorm: num_groups is 3; wanted it to divide num_channels 4");
  Contains(ErrorOf([] { LayerNorm(PerAxis(std::vector<int64_t>{})); }),
           "LayerNorm: normalized_shape is empty");
  Contains(ErrorOf([] { LayerNorm(4, {.eps = -1}); }), "eps is -1");
  Contains(ErrorOf([] { BatchNorm2d(0); }), "num_features is 0");
  Contains(ErrorOf([] { BatchNorm2d(2, {.momentum = 1.5}); }),
           "momentum is 1.5; wanted 0 <= momentum <= 1");
  LayerNorm layer{{3, 4}};
  Contains(ErrorOf([&] { layer(ones({2, 4, 3})); }),
           "LayerNorm: x is f32[2,4,3]; wanted last axes [3,4]");
  Contains(ErrorOf([&] { layer(ones({4})); }), "wanted last axes [3,4]");
  RMSNorm rms{4};
  Contains(ErrorOf([&] { rms(ones({2, 3})); }), "RMSNorm: x is f32[2,3]");
  GroupNorm group{2, 4};
  Contains(ErrorOf([&] { group(ones({2, 6})); }), "wanted [batch, 4, ...]");
  InstanceNorm2d instance{3};
  Contains(ErrorOf([&] { instance(ones({2, 4, 5, 5})); }),
           "InstanceNorm2d: x is f32[2,4,5,5]; wanted [batch, 3, height, "
           "width]");
}

TEST(BadInput, OfTheRest) {
  Contains(ErrorOf([] { Embedding(0, 4); }), "num_embeddings is 0");
  Contains(ErrorOf([] { EmbeddingBag(3, 4, {.mode = "max"}); }),
           "mode is \"max\"; wanted mean or sum");
  EmbeddingBag bag{3, 4};
  Contains(ErrorOf([&] { bag(constant({1, 2})); }),
           "ids are i32[2]; wanted [bags, ids], or a vector and offsets");
  Contains(ErrorOf([&] { bag(constant({{1, 3}})); }), "3");
  Contains(ErrorOf([] { PReLU(0); }), "num_parameters is 0");
  PReLU slopes{3};
  Contains(ErrorOf([&] { slopes(ones({2, 4})); }), "wanted 3 channels");
  Contains(ErrorOf([] { Upsample({}); }), "either a size or a positive");
  Contains(ErrorOf([] { Upsample({.scale_factor = 2, .mode = "cubic"}); }),
           "mode is \"cubic\"; wanted nearest or bilinear");
  Contains(ErrorOf([] { flatten(ones({2, 3}), 1, 2); }),
           "flatten: x is f32[2,3], start is 1, end is 2");
  Contains(ErrorOf([] { dropout(ones({2}), 1.5, true); }), "p is 1.5");
  Unflatten apart{3, {2, 2}};
  Contains(ErrorOf([&] { apart(ones({2, 4})); }), "wanted an axis 3");
  Sequential net{make<ReLU>()};
  Contains(ErrorOf([&] { net.at<Linear>(0); }),
           "Sequential: module 0 is ReLU(); wanted one of another class");
  Contains(ErrorOf([&] { net[1]; }), "Sequential: module 1 of 1");
  // Modules are no part of graphs.
  Graph graph;
  GraphScope building(graph);
  Contains(ErrorOf([] { Linear(2, 2); }),
           "parameter \"weight\" is a value of a graph; wanted an imperative "
           "tensor");
}

TEST(ShapeLayers, MoveElements) {
  Tensor x = reshape(range(0.f, 24.f, 1.f), {2, 3, 4});
  EXPECT_EQ(Flatten()(x).shape().ToString(), "[2,12]");
  EXPECT_EQ(Flatten(0, 1)(x).shape().ToString(), "[6,4]");
  EXPECT_EQ(flatten(x).shape().ToString(), "[24]");
  EXPECT_EQ(flatten(constant(1.f)).shape().ToString(), "[1]");
  EXPECT_EQ(Unflatten(-1, {2, -1})(x).shape().ToString(), "[2,3,2,2]");
  Sequential there_and_back{
      make<Flatten>(), make<Unflatten>(1, std::vector<int64_t>{3, 4}),
      make<Lambda>([](Tensor v) { return v * 2; }), make<Identity>()};
  auto f = function([&](Tensor v) { return there_and_back(v); });
  EXPECT_EQ(f(x).to_vector<float>(), (x * 2).to_vector<float>());
  EXPECT_EQ(f(x).shape().ToString(), "[2,3,4]");
  // Of any batch, an empty one, too.
  EXPECT_EQ(f(ones({5, 3, 4})).shape().ToString(), "[5,3,4]");
  EXPECT_EQ(there_and_back(ones({0, 3, 4})).shape().ToString(), "[0,3,4]");
}

TEST(Threads, MayCallOneModelInEval) {
  Sequential net{make<Linear>(8, 16), make<BatchNorm1d>(16), make<ReLU>(),
                 make<Dropout>(), make<Linear>(16, 4)};
  net.eval();
  Tensor x = reshape(range(0.f, 24.f, 1.f), {3, 8});
  Floats wanted = net(x).to_vector<float>();
  std::vector<Floats> got(4);
  std::vector<std::thread> threads;
  for (Floats& mine : got) {
    threads.emplace_back([&net, &x, &mine] {
      NoGrad off;
      for (int i = 0; i < 20; ++i) mine = net(x).to_vector<float>();
    });
  }
  for (std::thread& t : threads) t.join();
  for (const Floats& mine : got) EXPECT_EQ(mine, wanted);
}

}  // namespace
}  // namespace sluice::nn
