// state_dict() has PyTorch's names, in its order, and its shapes.
#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <sstream>

namespace sluice::nn {
namespace {

// "weight[4,3] bias[4]"
std::string KeysOf(const Module& module) {
  std::ostringstream all;
  const char* space = "";
  for (const auto& [name, tensor] : module.state_dict()) {
    all << space << name << tensor.shape().ToString();
    space = " ";
  }
  return all.str();
}

TEST(Keys, OfLayers) {
  EXPECT_EQ(KeysOf(Linear(3, 4)), "weight[4,3] bias[4]");
  EXPECT_EQ(KeysOf(Linear(3, 4, {.bias = false})), "weight[4,3]");
  EXPECT_EQ(KeysOf(Bilinear(2, 3, 4)), "weight[4,2,3] bias[4]");
  EXPECT_EQ(KeysOf(Conv1d(4, 6, 5)), "weight[6,4,5] bias[6]");
  EXPECT_EQ(KeysOf(Conv2d(4, 6, {3, 5}, {.groups = 2})),
            "weight[6,2,3,5] bias[6]");
  EXPECT_EQ(KeysOf(Conv3d(4, 6, 2, {.bias = false})), "weight[6,4,2,2,2]");
  EXPECT_EQ(KeysOf(ConvTranspose1d(4, 6, 5)), "weight[4,6,5] bias[6]");
  EXPECT_EQ(KeysOf(ConvTranspose2d(4, 6, 3, {.groups = 2})),
            "weight[4,3,3,3] bias[6]");
  EXPECT_EQ(KeysOf(ConvTranspose3d(4, 6, 2)), "weight[4,6,2,2,2] bias[6]");
  EXPECT_EQ(KeysOf(Embedding(7, 3)), "weight[7,3]");
  EXPECT_EQ(KeysOf(EmbeddingBag(7, 3)), "weight[7,3]");
  EXPECT_EQ(KeysOf(PReLU(3)), "weight[3]");
  for (const Module* m : std::initializer_list<const Module*>{
           new Dropout(), new ReLU(), new MaxPool2d(2), new Flatten()}) {
    EXPECT_EQ(KeysOf(*m), "");
    delete m;
  }
}

TEST(Keys, OfNorms) {
  const std::string stats =
      "running_mean[3] running_var[3] "
      "num_batches_tracked[]";
  EXPECT_EQ(KeysOf(BatchNorm1d(3)), "weight[3] bias[3] " + stats);
  EXPECT_EQ(KeysOf(BatchNorm2d(3)), "weight[3] bias[3] " + stats);
  EXPECT_EQ(KeysOf(BatchNorm3d(3, {.affine = false})), stats);
  EXPECT_EQ(KeysOf(BatchNorm2d(3, {.track_running_stats = false})),
            "weight[3] bias[3]");
  EXPECT_EQ(BatchNorm2d(3).num_batches_tracked.dtype(), DType::kI64);
  EXPECT_EQ(KeysOf(LayerNorm({3, 4})), "weight[3,4] bias[3,4]");
  EXPECT_EQ(KeysOf(LayerNorm(3, {.elementwise_affine = false})), "");
  EXPECT_EQ(KeysOf(LayerNorm(3, {.bias = false})), "weight[3]");
  EXPECT_EQ(KeysOf(RMSNorm(3)), "weight[3]");
  EXPECT_EQ(KeysOf(GroupNorm(2, 4)), "weight[4] bias[4]");
  EXPECT_EQ(KeysOf(GroupNorm(2, 4, {.affine = false})), "");
  EXPECT_EQ(KeysOf(InstanceNorm2d(3)), "");
  EXPECT_EQ(KeysOf(InstanceNorm2d(3, {.affine = true})), "weight[3] bias[3]");
}

// What an attention layer of size 4 has, each name behind a prefix.
std::string AttentionKeys(const std::string& prefix) {
  return prefix + "in_proj_weight[12,4] " + prefix + "in_proj_bias[12] " +
         prefix + "out_proj.weight[4,4] " + prefix + "out_proj.bias[4]";
}

std::string EncoderLayerKeys(const std::string& prefix) {
  return AttentionKeys(prefix + "self_attn.") + " " + prefix +
         "linear1.weight[6,4] " + prefix + "linear1.bias[6] " + prefix +
         "linear2.weight[4,6] " + prefix + "linear2.bias[4] " + prefix +
         "norm1.weight[4] " + prefix + "norm1.bias[4] " + prefix +
         "norm2.weight[4] " + prefix + "norm2.bias[4]";
}

TEST(Keys, OfTransformers) {
  TransformerOptions options{.dim_feedforward = 6};
  EXPECT_EQ(KeysOf(MultiheadAttention(4, 2)), AttentionKeys(""));
  EXPECT_EQ(KeysOf(MultiheadAttention(4, 2, {.kdim = 3, .vdim = 6})),
            "q_proj_weight[4,4] k_proj_weight[4,3] v_proj_weight[4,6] "
            "in_proj_bias[12] out_proj.weight[4,4] out_proj.bias[4]");
  EXPECT_EQ(KeysOf(MultiheadAttention(4, 2, {.bias = false})),
            "in_proj_weight[12,4] out_proj.weight[4,4]");
  EXPECT_EQ(KeysOf(TransformerEncoderLayer(4, 2, options)),
            EncoderLayerKeys(""));
  EXPECT_EQ(KeysOf(TransformerEncoder(2, 4, 2, options, true)),
            EncoderLayerKeys("layers.0.") + " " +
                EncoderLayerKeys("layers.1.") + " norm.weight[4] norm.bias[4]");
  options.bias = false;
  EXPECT_EQ(KeysOf(TransformerDecoder(1, 4, 2, options)),
            "layers.0.self_attn.in_proj_weight[12,4] "
            "layers.0.self_attn.out_proj.weight[4,4] "
            "layers.0.multihead_attn.in_proj_weight[12,4] "
            "layers.0.multihead_attn.out_proj.weight[4,4] "
            "layers.0.linear1.weight[6,4] layers.0.linear2.weight[4,6] "
            "layers.0.norm1.weight[4] layers.0.norm2.weight[4] "
            "layers.0.norm3.weight[4]");
}

TEST(Keys, OfRecurrentLayers) {
  EXPECT_EQ(KeysOf(RNNCell(3, 2)),
            "weight_ih[2,3] weight_hh[2,2] bias_ih[2] bias_hh[2]");
  EXPECT_EQ(KeysOf(GRUCell(3, 2, {.bias = false})),
            "weight_ih[6,3] weight_hh[6,2]");
  EXPECT_EQ(KeysOf(LSTMCell(3, 2, {.bias = false, .peepholes = true})),
            "weight_ih[8,3] weight_hh[8,2] weight_ci[2] weight_cf[2] "
            "weight_co[2]");
  EXPECT_EQ(KeysOf(GRU(3, 2)),
            "weight_ih_l0[6,3] weight_hh_l0[6,2] bias_ih_l0[6] bias_hh_l0[6]");
  EXPECT_EQ(
      KeysOf(
          LSTM(3, 2, {.num_layers = 2, .bidirectional = true, .proj_size = 1})),
      "weight_ih_l0[8,3] weight_hh_l0[8,1] bias_ih_l0[8] bias_hh_l0[8] "
      "weight_hr_l0[1,2] weight_ih_l0_reverse[8,3] weight_hh_l0_reverse[8,1] "
      "bias_ih_l0_reverse[8] bias_hh_l0_reverse[8] weight_hr_l0_reverse[1,2] "
      "weight_ih_l1[8,2] weight_hh_l1[8,1] bias_ih_l1[8] bias_hh_l1[8] "
      "weight_hr_l1[1,2] weight_ih_l1_reverse[8,2] weight_hh_l1_reverse[8,1] "
      "bias_ih_l1_reverse[8] bias_hh_l1_reverse[8] weight_hr_l1_reverse[1,2]");
}

TEST(Keys, OfContainers) {
  Sequential net{make<Linear>(2, 3), make<ReLU>(), make<Linear>(3, 1)};
  EXPECT_EQ(KeysOf(net), "0.weight[3,2] 0.bias[3] 2.weight[1,3] 2.bias[1]");
  struct Counted : Module {
    Counted() {
      add_parameter("scale", ones({2}));
      add_buffer("seen", zeros({}, DType::kI64));
      add_buffer("scratch", zeros({3}), /*persistent=*/false);
    }
  } counted;
  EXPECT_EQ(KeysOf(counted), "scale[2] seen[]");
  EXPECT_EQ(counted.buffers().size(), 2u);
}

}  // namespace
}  // namespace sluice::nn
