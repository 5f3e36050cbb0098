// Attention as functions of tensors: of heads that are there, and of sequences
// that are projected to heads first. The layer nn::MultiheadAttention
// (nn/attention.h) and Python's call them.
//
// Plain functions; imperatively, in graphs and in recorded functions.
#pragma once

#include <cstdint>
#include <source_location>

#include "sluice/eager/tensor.h"

namespace sluice {

// softmax(q k' scale + mask) v for q [..., heads, queries, depth] and k and v
// [..., heads, keys, depth]. Here a bool mask is true where one may look, as it
// is for PyTorch's function of this name.
struct AttentionOptions {
  Tensor attn_mask{};  // broadcasts to [..., heads, queries, keys]
  bool is_causal = false;
  double dropout_p = 0;  // of the weights
  double scale = 0;      // 0: 1 / sqrt(depth)
};
Tensor scaled_dot_product_attention(
    const Tensor& q, const Tensor& k, const Tensor& v,
    const AttentionOptions& options = {},
    std::source_location where = std::source_location::current());

namespace nn {

// Bool masks are true where nobody may look; numbers are added to the scores.
struct AttentionMasks {
  Tensor key_padding_mask{};  // [batch, keys]
  Tensor attn_mask{};         // [queries, keys] or [batch heads, queries, keys]
  bool is_causal = false;     // position i looks at positions 0 to i only
};

// What sequences are multiplied with: in_proj [3 embed_dim, embed_dim] for
// queries, keys and values together, or one weight for each.
struct MultiHeadWeights {
  Tensor in_proj{};
  Tensor q{}, k{}, v{};
  Tensor in_bias{};  // [3 embed_dim]; holds nothing without
};

struct MultiHeadOptions {
  int64_t embed_dim = 0, num_heads = 0;
  bool batch_first = false;
  double dropout_p = 0;          // of the attention weights
  bool need_weights = false;     // gives them; slower
  bool average_weights = false;  // over the heads
};

struct MultiHeadOutcome {
  Tensor y;        // like the query, with embed_dim as its last axis
  Tensor weights;  // [batch, heads, queries, keys], if they are wanted
};

// Attention of sequences [length, batch, ...], [batch, length, ...] with
// batch_first, or [length, ...] alone, before the layer's last projection.
MultiHeadOutcome multi_head_attention(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const MultiHeadWeights& weights, const AttentionMasks& masks,
    const MultiHeadOptions& options,
    std::source_location where = std::source_location::current());

}  // namespace nn
}  // namespace sluice
