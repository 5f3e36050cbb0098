#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include "sluice/front/front_test_util.h"
#include "sluice/nn/known_values_test_util.h"

namespace sluice::nn {
namespace {

TEST(Attention, ComputesWhatPyTorchDoes) {
  auto q = [] { return KnownInput({2, 3, 4}); };
  auto k = [] { return KnownInput({5, 3, 4}, 1); };
  MultiheadAttention attention{4, 2};
  auto of_three = [](MultiheadAttention& m) {
    return [&m](const Inputs& in) { return m(in[0], in[1], in[2]); };
  };
  CheckLayer<MultiheadAttention>("MultiheadAttention", q(), 4, 2);
  CheckKnownCall("MultiheadAttentionKV", attention,
                 {q(), k(), KnownInput({5, 3, 4}, 2)}, of_three(attention));
  MultiheadAttention plain{4, 2, {.bias = false}};
  CheckKnownCall("MultiheadAttentionMemory", plain, {q(), k()},
                 [&](const Inputs& in) { return plain(in[0], in[1], in[1]); });
  MultiheadAttention dims{4, 2, {.kdim = 3, .vdim = 6}};
  CheckKnownCall("MultiheadAttentionDims", dims,
                 {q(), KnownInput({5, 3, 3}, 1), KnownInput({5, 3, 6}, 2)},
                 of_three(dims));
  CheckLayer<MultiheadAttention>("MultiheadAttentionUnbatched",
                                 KnownInput({3, 4}), 4, 2);
  MultiheadAttention masked{4, 2, {.batch_first = true}};
  auto with = [&](const AttentionMasks& masks) {
    return [&masked, masks](const Inputs& in) {
      return masked(in[0], in[0], in[0], masks);
    };
  };
  Tensor padding = constant({{false, false, true}, {false, true, false}});
  Tensor future = constant(
      {{false, true, true}, {false, false, true}, {false, false, false}});
  for (AttentionMasks masks :
       {AttentionMasks{.key_padding_mask = padding, .attn_mask = future},
        AttentionMasks{.key_padding_mask = padding, .is_causal = true}}) {
    CheckKnownCall("MultiheadAttentionMasks", masked, {q()}, with(masks));
  }
  Tensor added =
      constant({{0.5f, -1.f, 0.f}, {0.f, 0.f, 0.25f}, {-0.5f, 1.f, 0.f}});
  CheckKnownCall("MultiheadAttentionAdded", masked, {q()},
                 with({.key_padding_mask = padding, .attn_mask = added}));
}

TEST(Transformer, ComputesWhatPyTorchDoes) {
  auto x = [] { return KnownInput({2, 3, 4}); };
  auto memory = [] { return KnownInput({5, 3, 4}, 1); };
  TransformerOptions options{.dim_feedforward = 6, .dropout = 0};
  TransformerOptions before = options;
  before.norm_first = true;
  CheckLayer<TransformerEncoderLayer>("TransformerEncoderLayer", x(), 4, 2,
                                      options);
  TransformerOptions causal = before;
  causal.activation = "gelu";
  causal.batch_first = true;
  TransformerEncoderLayer layer{4, 2, causal};
  CheckKnownCall(
      "TransformerEncoderLayerPre", layer, {x()},
      [&](const Inputs& in) { return layer(in[0], {.is_causal = true}); });
  TransformerDecoderLayer decoder{4, 2, options};
  CheckKnownCall("TransformerDecoderLayer", decoder, {x(), memory()},
                 [&](const Inputs& in) { return decoder(in[0], in[1]); });
  TransformerOptions plain = before;
  plain.bias = false;
  TransformerDecoderLayer pre{4, 2, plain};
  CheckKnownCall("TransformerDecoderLayerPre", pre, {x(), memory()},
                 [&](const Inputs& in) { return pre(in[0], in[1]); });
  CheckLayer<TransformerEncoder>("TransformerEncoder", x(), 2, 4, 2, before,
                                 true);
  TransformerDecoder deep{2, 4, 2, options};
  CheckKnownCall("TransformerDecoder", deep, {x(), memory()},
                 [&](const Inputs& in) { return deep(in[0], in[1]); });
}

TEST(Attention, WithDropoutIsTheSameInTheMean) {
  manual_seed(5);
  Tensor q = KnownInput({2, 3, 4}), v = KnownInput({2, 3, 4}, 2);
  Tensor mask = constant(
      {{true, false, true}, {true, true, true}, {false, false, false}});
  for (bool causal : {false, true}) {
    AttentionOptions options{.attn_mask = mask, .is_causal = causal};
    Tensor wanted = scaled_dot_product_attention(q, q, v, options);
    // So little that no weight is dropped: the steps alone.
    options.dropout_p = 1e-12;
    Tensor got = scaled_dot_product_attention(q, q, v, options);
    for (float d : (got - wanted).to_vector<float>()) EXPECT_NEAR(d, 0, 1e-6);
    options.dropout_p = 0.5;
    Tensor mean = zeros({2, 3, 4});
    for (int i = 0; i < 2000; ++i) {
      mean.add_(scaled_dot_product_attention(q, q, v, options));
    }
    for (float d : (mean / 2000 - wanted).to_vector<float>()) {
      EXPECT_NEAR(d, 0, 0.1);
    }
  }
}

TEST(Attention, DropsWeightsInTrainingOnly) {
  MultiheadAttention attention{4, 2, {.dropout = 0.5}};
  SetKnownParameters(attention);
  Tensor x = KnownInput({5, 2, 4});
  auto f = function([&](Tensor in) { return attention(in); });
  auto differs = [](const Tensor& a, const Tensor& b) {
    return a.to_vector<float>() != b.to_vector<float>();
  };
  EXPECT_TRUE(differs(attention(x), attention(x)));
  EXPECT_TRUE(differs(f(x), f(x)));
  attention.eval();
  EXPECT_FALSE(differs(attention(x), attention(x)));
}

TEST(Attention, WhoSeesNobodyGetsZeros) {
  MultiheadAttention attention{4, 2, {.batch_first = true}};
  Tensor x = KnownInput({1, 2, 4}), nobody = constant({{true, true}});
  Tensor y = attention(x, x, x, {.key_padding_mask = nobody});
  EXPECT_EQ(y.to_vector<float>(), std::vector<float>(8, 0));
}

TEST(Attention, Refuses) {
  Contains(ErrorOf([] { MultiheadAttention(6, 4); }),
           "MultiheadAttention: num_heads is 4; wanted it to divide embed_dim "
           "6");
  Contains(ErrorOf([] { MultiheadAttention(6, 0); }), "num_heads is 0");
  Contains(ErrorOf([] { MultiheadAttention(4, 2, {.dropout = 2}); }),
           "dropout is 2; wanted 0 <= dropout <= 1");
  MultiheadAttention attention{4, 2};
  Tensor x = ones({3, 1, 4});
  Contains(ErrorOf([&] { attention(ones({4})); }),
           "query is f32[4], key is f32[4], value is f32[4]; wanted [length, "
           "batch, 4]");
  Contains(ErrorOf([&] { attention(ones({3, 1, 5})); }), "last axis of 4");
  Contains(
      ErrorOf([&] { attention(x, x, x, {.key_padding_mask = ones({3})}); }),
      "key_padding_mask is f32[3]; wanted [batch, keys]");
  Contains(ErrorOf([&] { attention(x, x, x, {.attn_mask = ones({3})}); }),
           "attn_mask is f32[3]; wanted [queries, keys]");
  Contains(
      ErrorOf([] { TransformerEncoderLayer(4, 2, {.activation = "swish"}); }),
      "activation is \"swish\"; wanted relu or gelu");
  TransformerEncoder encoder{2, 4, 2, {.dim_feedforward = 8}};
  Contains(ErrorOf([&] { encoder(ones({3, 1, 5})); }),
           "in layers.0.self_attn (MultiheadAttention(4, 2, dropout=0.1))");
}

}  // namespace
}  // namespace sluice::nn
