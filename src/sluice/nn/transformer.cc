#include "sluice/nn/transformer.h"

#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/ops.h"

namespace sluice::nn {

namespace {

MultiheadAttentionOptions ForAttention(const TransformerOptions& o) {
  return {.dropout = o.dropout,
          .bias = o.bias,
          .batch_first = o.batch_first,
          .dtype = o.dtype};
}

LayerNormOptions ForNorm(const TransformerOptions& o) {
  return {.eps = o.layer_norm_eps, .bias = o.bias, .dtype = o.dtype};
}

}  // namespace

TransformerLayer::TransformerLayer(int64_t d_model, int64_t nhead,
                                   const TransformerOptions& o, Where where)
    : self_attn(d_model, nhead, ForAttention(o), where),
      linear1(d_model, o.dim_feedforward, {.bias = o.bias, .dtype = o.dtype},
              where),
      linear2(o.dim_feedforward, d_model, {.bias = o.bias, .dtype = o.dtype},
              where),
      norm1(d_model, ForNorm(o), where),
      norm2(d_model, ForNorm(o), where),
      options_(o) {
  SL_WANT(o.activation == "relu" || o.activation == "gelu", where,
          "TransformerOptions: activation is \"", o.activation,
          "\"; wanted relu or gelu");
}

Tensor TransformerLayer::Attend(MultiheadAttention& attention, const Tensor& x,
                                const Tensor& memory,
                                const AttentionMasks& masks) {
  Tensor y = attention(x, memory, memory, masks, line());
  return dropout(y, options_.dropout, training(), line());
}

Tensor TransformerLayer::FeedForward(const Tensor& x) {
  Tensor h = linear1(x, line());
  h = options_.activation == "relu" ? relu(h, {}, line())
                                    : gelu(h, {}, {}, line());
  h = dropout(h, options_.dropout, training(), line());
  return dropout(linear2(h, line()), options_.dropout, training(), line());
}

template <class Part>
Tensor TransformerLayer::Added(const Tensor& x, LayerNorm& norm, Part part) {
  if (options_.norm_first) {
    return sluice::add(x, part(norm(x, line())), {}, line());
  }
  return norm(sluice::add(x, part(x), {}, line()), line());
}

TransformerEncoderLayer::TransformerEncoderLayer(
    int64_t d_model, int64_t nhead, const TransformerOptions& options,
    Where where)
    : TransformerLayer(d_model, nhead, options, where) {
  add("self_attn", self_attn);
  add("linear1", linear1);
  add("linear2", linear2);
  add("norm1", norm1);
  add("norm2", norm2);
}

Tensor TransformerEncoderLayer::forward(Tensor x, const AttentionMasks& masks) {
  x = Added(x, norm1,
            [&](const Tensor& in) { return Attend(self_attn, in, in, masks); });
  return Added(x, norm2, [&](const Tensor& in) { return FeedForward(in); });
}

TransformerDecoderLayer::TransformerDecoderLayer(
    int64_t d_model, int64_t nhead, const TransformerOptions& options,
    Where where)
    : TransformerLayer(d_model, nhead, options, where),
      multihead_attn(d_model, nhead, ForAttention(options), where),
      norm3(d_model, ForNorm(options), where) {
  add("self_attn", self_attn);
  add("multihead_attn", multihead_attn);
  add("linear1", linear1);
  add("linear2", linear2);
  add("norm1", norm1);
  add("norm2", norm2);
  add("norm3", norm3);
}

Tensor TransformerDecoderLayer::forward(Tensor x, Tensor memory,
                                        const DecoderMasks& masks) {
  x = Added(x, norm1, [&](const Tensor& in) {
    return Attend(self_attn, in, in, masks.self);
  });
  x = Added(x, norm2, [&](const Tensor& in) {
    return Attend(multihead_attn, in, memory, masks.memory);
  });
  return Added(x, norm3, [&](const Tensor& in) { return FeedForward(in); });
}

TransformerEncoder::TransformerEncoder(int64_t num_layers, int64_t d_model,
                                       int64_t nhead,
                                       const TransformerOptions& options,
                                       bool final_norm, Where where) {
  add("layers", layers);
  for (int64_t i = 0; i < num_layers; ++i) {
    layers.emplace_back<TransformerEncoderLayer>(d_model, nhead, options,
                                                 where);
  }
  if (final_norm) {
    norm = add("norm", make<LayerNorm>(d_model, ForNorm(options), where));
  }
}

Tensor TransformerEncoder::forward(Tensor x, const AttentionMasks& masks) {
  for (size_t i = 0; i < layers.size(); ++i) {
    x = layers.at<TransformerEncoderLayer>(i)(x, masks, line());
  }
  return norm ? (*norm)(x, line()) : x;
}

TransformerDecoder::TransformerDecoder(int64_t num_layers, int64_t d_model,
                                       int64_t nhead,
                                       const TransformerOptions& options,
                                       bool final_norm, Where where) {
  add("layers", layers);
  for (int64_t i = 0; i < num_layers; ++i) {
    layers.emplace_back<TransformerDecoderLayer>(d_model, nhead, options,
                                                 where);
  }
  if (final_norm) {
    norm = add("norm", make<LayerNorm>(d_model, ForNorm(options), where));
  }
}

Tensor TransformerDecoder::forward(Tensor x, Tensor memory,
                                   const DecoderMasks& masks) {
  for (size_t i = 0; i < layers.size(); ++i) {
    x = layers.at<TransformerDecoderLayer>(i)(x, memory, masks, line());
  }
  return norm ? (*norm)(x, line()) : x;
}

}  // namespace sluice::nn
