#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <sstream>

#include "sluice/front/front_test_util.h"

namespace sluice::nn {
namespace {

struct SmallNet : Module {
  Sequential features{make<Conv2d>(1, 4, 3, ConvOptions{.padding = 1}),
                      make<BatchNorm2d>(4), make<ReLU>(), make<MaxPool2d>(2)};
  Dropout unused;
  Linear fc{64, 10};
  SmallNet() {
    add("features", features);
    add("unused", unused);
    add("fc", fc);
  }
  Tensor forward(Tensor x) override { return fc(flatten(features(x), 1)); }
};

TEST(Summary, OfASmallNet) {
  SmallNet net;
  net.features.requires_grad_(false);
  EXPECT_EQ(summary(net, {{2, 1, 8, 8}}).ToString(),
            "layer           type         output      parameters   FLOPs\n"
            "-----------------------------------------------------------\n"
            "(model)         SmallNet     [2,10]               -       -\n"
            "  features      Sequential   [2,4,4,4]            -       -\n"
            "    features.0  Conv2d       [2,4,8,8]           40   9,216\n"
            "    features.1  BatchNorm2d  [2,4,8,8]            8       -\n"
            "    features.2  ReLU         [2,4,8,8]            -       -\n"
            "    features.3  MaxPool2d    [2,4,4,4]            -       -\n"
            "  unused        Dropout      not called           -       -\n"
            "  fc            Linear       [2,10]             650   2,560\n"
            "-----------------------------------------------------------\n"
            "total                                           698  11,776\n"
            "-----------------------------------------------------------\n"
            "trainable parameters 650, others 48, buffers 9\n");
}

TEST(Summary, ChangesNothing) {
  SmallNet net;
  auto state = [&] {
    std::ostringstream all;
    for (const auto& [name, tensor] : net.state_dict()) all << tensor;
    return all.str();
  };
  std::string before = state();
  summary(net, {{2, 1, 8, 8}});
  EXPECT_EQ(state(), before);
  EXPECT_TRUE(net.training());
  EXPECT_FALSE(net.fc.weight.grad().defined());
  EXPECT_THROW(summary(net, {{2, 3, 8, 8}}), Error);
  Contains(ErrorOf([&] { summary(net, {{2, 3, 8, 8}}); }), "in features.0");
  EXPECT_THROW(summary(net, {}), Error);
  EXPECT_EQ(net(ones({1, 1, 8, 8})).shape().ToString(), "[1,10]");
}

TEST(Summary, CountsCallsAndSharedParameters) {
  struct Twice : Module {
    Linear fc{4, 4};
    MultiheadAttention attention{4, 2};
    Twice() {
      add("fc", fc);
      add("attention", attention);
    }
    Tensor forward(Tensor x) override {
      return attention(matmul(fc(fc(x)), ones({4, 4})));
    }
  } net;
  Summary made = summary(net, {{3, 4}});
  ASSERT_EQ(made.rows.size(), 4u);
  EXPECT_EQ(made.rows[0].flops, 2 * 3 * 4 * 4) << "the model's own product";
  EXPECT_EQ(made.rows[1].calls, 2);
  EXPECT_EQ(made.rows[1].flops, 2 * 2 * 3 * 4 * 4);
  EXPECT_EQ(made.rows[1].parameters, 20);
  // The projection, and scores and sums of two heads of depth 2.
  EXPECT_EQ(made.rows[2].flops, 2 * 3 * 4 * 12 + 2 * (2 * 3 * 3 * 2 * 2));
  EXPECT_EQ(made.rows[3].path, "attention.out_proj");
  EXPECT_EQ(made.flops, 2 * 3 * 16 * 4 + 2 * 3 * 4 * 12 + 144);
  Contains(made.ToString(), "Linear x2");
}

TEST(Summary, OfABigModelTakesNoTime) {
  // 4 TFLOP if they were computed.
  Conv2d conv{512, 512, 3, {.padding = 1, .bias = false}};
  Summary made = summary(conv, {{64, 512, 128, 128}});
  EXPECT_EQ(made.rows[0].shape, "[64,512,128,128]");
  EXPECT_EQ(made.flops, 2.0 * 64 * 128 * 128 * 512 * 512 * 9);
}

TEST(Summary, OfModelsWithOtherArguments) {
  TransformerDecoderLayer layer{8, 2, {.dim_feedforward = 16}};
  Summary made =
      summary(layer, {{5, 1, 8}, {7, 1, 8}},
              [&](const std::vector<Tensor>& in) { layer(in[0], in[1]); });
  EXPECT_EQ(made.rows[0].shape, "[5,1,8]");
  EXPECT_GT(made.flops, 0);
}

}  // namespace
}  // namespace sluice::nn
