// Every layer computes what PyTorch's does, imperatively and in a recorded
// function, and so do the gradients of every input and parameter.
#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include "sluice/nn/known_values_test_util.h"

namespace sluice::nn {
namespace {

TEST(KnownValues, Linear) {
  CheckLayer<Linear>("Linear", KnownInput({2, 3, 4}), 4, 3);
  Bilinear bilinear{4, 3, 2};
  CheckKnownCall("Bilinear", bilinear,
                 {KnownInput({2, 4}), KnownInput({2, 3}, 1)},
                 [&](const Inputs& in) { return bilinear(in[0], in[1]); });
}

TEST(KnownValues, Convolutions) {
  CheckLayer<Conv1d>("Conv1d", KnownInput({2, 2, 7}), 2, 4, 3,
                     ConvOptions{.stride = 2, .padding = 1, .groups = 2});
  Tensor x = KnownInput({1, 2, 5, 6});
  CheckLayer<Conv2d>(
      "Conv2d", x, 2, 3, PerAxis{3, 2},
      ConvOptions{.stride = {1, 2}, .padding = {1, 0}, .dilation = {1, 2}});
  CheckLayer<Conv2d>("Conv2dSame", x, 2, 3, 4,
                     ConvOptions{.bias = false, .same_padding = true});
  for (std::string mode : {"reflect", "circular", "replicate"}) {
    std::string name = "Conv2d" + mode;
    name[6] = static_cast<char>(std::toupper(name[6]));
    CheckLayer<Conv2d>(name, KnownInput({1, 2, 4, 4}), 2, 3, 3,
                       ConvOptions{.padding = 1, .padding_mode = mode});
  }
  CheckLayer<Conv3d>("Conv3d", KnownInput({1, 1, 3, 3, 3}), 1, 2, 2);
}

TEST(KnownValues, TransposedConvolutions) {
  CheckLayer<ConvTranspose1d>(
      "ConvTranspose1d", KnownInput({1, 2, 4}), 2, 3, 3,
      ConvTransposeOptions{.stride = 2, .padding = 1, .output_padding = 1});
  CheckLayer<ConvTranspose2d>("ConvTranspose2d", KnownInput({1, 2, 3, 3}), 2, 4,
                              3,
                              ConvTransposeOptions{.stride = 2, .groups = 2});
  CheckLayer<ConvTranspose3d>("ConvTranspose3d", KnownInput({1, 1, 2, 2, 2}), 1,
                              2, 2, ConvTransposeOptions{.bias = false});
}

TEST(KnownValues, Pooling) {
  Tensor line = KnownInput({1, 2, 6}), plane = KnownInput({1, 2, 6, 5});
  CheckLayer<MaxPool1d>("MaxPool1d", line, 2);
  CheckLayer<MaxPool2d>(
      "MaxPool2d", plane, 3,
      MaxPoolOptions{.stride = 2, .padding = 1, .ceil_mode = true});
  CheckLayer<MaxPool3d>("MaxPool3d", KnownInput({1, 1, 3, 3, 3}), 2,
                        MaxPoolOptions{.stride = 1});
  CheckLayer<AvgPool1d>("AvgPool1d", line, 3,
                        AvgPoolOptions{.stride = 1, .padding = 1});
  CheckLayer<AvgPool2d>(
      "AvgPool2d", plane, 3,
      AvgPoolOptions{.stride = 2, .padding = 1, .count_include_pad = false});
  CheckLayer<AvgPool3d>("AvgPool3d", KnownInput({1, 1, 4, 4, 4}), 2);
  line = KnownInput({1, 2, 7});
  CheckLayer<AdaptiveAvgPool1d>("AdaptiveAvgPool1d", line, 3);
  CheckLayer<AdaptiveAvgPool2d>("AdaptiveAvgPool2d", KnownInput({1, 2, 5, 7}),
                                PerAxis{2, 3});
  CheckLayer<AdaptiveAvgPool3d>("AdaptiveAvgPool3d",
                                KnownInput({2, 2, 5, 4, 3}), PerAxis{2, 3, 2});
  CheckLayer<AdaptiveMaxPool1d>("AdaptiveMaxPool1d", line, 3);
  CheckLayer<AdaptiveMaxPool2d>("AdaptiveMaxPool2d", KnownInput({1, 2, 5, 5}),
                                2);
  CheckLayer<AdaptiveMaxPool3d>("AdaptiveMaxPool3d",
                                KnownInput({1, 2, 3, 4, 5}), 2);
}

TEST(KnownValues, BatchNorms) {
  CheckLayer<BatchNorm1d>("BatchNorm1d", KnownInput({4, 3}), 3);
  CheckLayer<BatchNorm1d>(
      "BatchNorm1dLength", KnownInput({2, 3, 5}), 3,
      BatchNormOptions{.momentum = std::nullopt, .affine = false});
  Tensor x = KnownInput({2, 2, 3, 2});
  CheckLayer<BatchNorm2d>("BatchNorm2d", x, 2, BatchNormOptions{.eps = 1e-3});
  CheckLayer<BatchNorm3d>("BatchNorm3d", KnownInput({1, 2, 2, 2, 2}), 2);
  BatchNorm2d still{2};
  still.eval();
  CheckKnownCall("BatchNorm2dEval", still, {KnownInput({2, 2, 3, 2})},
                 [&](const Inputs& in) { return still(in[0]); });
}

TEST(KnownValues, OtherNorms) {
  auto x = [] { return KnownInput({2, 3, 4}); };
  CheckLayer<LayerNorm>("LayerNorm", x(), 4);
  CheckLayer<LayerNorm>("LayerNorm2", x(), PerAxis{3, 4},
                        LayerNormOptions{.bias = false});
  CheckLayer<RMSNorm>("RMSNorm", x(), 4);
  CheckLayer<GroupNorm>("GroupNorm", KnownInput({2, 4, 3}), 2, 4);
  CheckLayer<InstanceNorm2d>("InstanceNorm2d", KnownInput({2, 2, 3, 2}), 2,
                             InstanceNormOptions{.affine = true});
  CheckLayer<InstanceNorm1d>("InstanceNorm1d", KnownInput({2, 2, 5}), 2);
}

TEST(KnownValues, Embeddings) {
  Tensor ids = constant({{4, 1, 0}, {4, 4, 2}}, DType::kI64);
  CheckLayer<Embedding>("Embedding", ids, 5, 3,
                        EmbeddingOptions{.padding_idx = 1});
  CheckLayer<EmbeddingBag>("EmbeddingBag", ids, 5, 3);
  EmbeddingBag bag{5, 3, {.mode = "sum"}};
  CheckKnownCall("EmbeddingBagSum", bag,
                 {constant({4, 1, 0, 4, 4}), constant({0, 2})},
                 [&](const Inputs& in) { return bag(in[0], in[1]); });
}

TEST(KnownValues, Activations) {
  auto x = [] { return KnownInput({2, 3, 4}); };
  CheckLayer<PReLU>("PReLU", KnownInput({2, 3, 2}), 3);
  CheckLayer<ReLU>("ReLU", x());
  CheckLayer<ReLU6>("ReLU6", x());
  CheckLayer<SELU>("SELU", x());
  CheckLayer<SiLU>("SiLU", x());
  CheckLayer<Mish>("Mish", x());
  CheckLayer<Sigmoid>("Sigmoid", x());
  CheckLayer<Tanh>("Tanh", x());
  CheckLayer<Hardsigmoid>("Hardsigmoid", x());
  CheckLayer<Hardswish>("Hardswish", x());
  CheckLayer<Softsign>("Softsign", x());
  CheckLayer<Tanhshrink>("Tanhshrink", x());
  CheckLayer<LogSigmoid>("LogSigmoid", x());
  CheckLayer<LeakyReLU>("LeakyReLU", x(), 0.2);
  CheckLayer<ELU>("ELU", x(), 0.5);
  CheckLayer<CELU>("CELU", x(), 0.5);
  CheckLayer<Softplus>("Softplus", x(), 2);
  CheckLayer<Softshrink>("Softshrink", x(), 0.3);
  CheckLayer<Hardshrink>("Hardshrink", x(), 0.3);
  CheckLayer<Softmax>("Softmax", x(), 1);
  CheckLayer<LogSoftmax>("LogSoftmax", x());
  CheckLayer<GLU>("GLU", x());
  CheckLayer<GELU>("GELU", x());
  CheckLayer<GELU>("GELUTanh", x(), "tanh");
  CheckLayer<Hardtanh>("Hardtanh", x(), -0.4, 0.7);
  CheckLayer<Threshold>("Threshold", x(), 0.1, -2.0);
}

TEST(KnownValues, Upsampling) {
  auto x = [] { return KnownInput({1, 2, 2, 3}); };
  CheckLayer<Upsample>("UpsampleBilinear", x(),
                       UpsampleOptions{.size = {{4, 5}}, .mode = "bilinear"});
  CheckLayer<Upsample>("UpsampleNearest", x(),
                       UpsampleOptions{.scale_factor = 2});
  Upsample corners{
      {.scale_factor = 2, .mode = "bilinear", .align_corners = true}};
  CheckKnownCall(
      "UpsampleCorners", corners, {x()},
      [&](const Inputs& in) { return corners(in[0]); }, /*recorded=*/false);
}

}  // namespace
}  // namespace sluice::nn
