// MultiheadAttention: every position of a sequence looks at those of another,
// in several ways at once.
//
// Sequences are [length, batch, embed_dim], or [batch, length, embed_dim] with
// batch_first, or [length, embed_dim] alone. Masks are as PyTorch's: bool is
// true where nobody may look, floats are added to the scores.
#pragma once

#include "sluice/nn/linear.h"
#include "sluice/nn/module.h"

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

struct MultiheadAttentionOptions {
  double dropout = 0;  // of the weights, in training
  bool bias = true;
  int64_t kdim = 0, vdim = 0;  // sizes of keys and values; 0: embed_dim
  bool batch_first = false;
  DType dtype = DType::kF32;
};

struct AttentionMasks {
  Tensor key_padding_mask{};  // [batch, keys]
  Tensor attn_mask{};         // [queries, keys] or [batch heads, queries, keys]
  bool is_causal = false;     // position i looks at positions 0 to i only
};

class MultiheadAttention : public Module {
 public:
  MultiheadAttention(int64_t embed_dim, int64_t num_heads,
                     const MultiheadAttentionOptions& options = {},
                     Where where = Where::current());

  // A sequence looks at itself.
  Tensor forward(Tensor x) override { return forward(x, x, x, {}); }
  Tensor forward(Tensor query, Tensor key, Tensor value,
                 const AttentionMasks& masks);
  using Module::operator();
  Tensor operator()(Tensor query, Tensor key, Tensor value,
                    const AttentionMasks& masks = {},
                    Where where = Where::current()) {
    return noted(where, [&] { return forward(query, key, value, masks); });
  }
  std::string extra_repr() const override;

  // [3 embed_dim, embed_dim] for queries, keys and values; holds nothing where
  // kdim or vdim differ, then each has its own.
  Tensor in_proj_weight;
  Tensor q_proj_weight, k_proj_weight, v_proj_weight;
  Tensor in_proj_bias;  // [3 embed_dim]
  Linear out_proj;

 private:
  struct Heads {
    Tensor q, k, v;  // [batch, heads, length, depth]
  };
  Heads Project(const Tensor& query, const Tensor& key, const Tensor& value);
  // count projections of x from row `first` of the weight on, each as heads.
  std::vector<Tensor> Projected(const Tensor& x, int64_t first, int64_t count);
  Tensor ProjectedBy(const Tensor& x, const Tensor& weight, int64_t part);
  Tensor Mask(const AttentionMasks& masks);

  int64_t embed_dim_, heads_, depth_;
  MultiheadAttentionOptions options_;
};

}  // namespace nn
}  // namespace sluice
