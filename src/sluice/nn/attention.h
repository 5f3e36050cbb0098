// MultiheadAttention: every position of a sequence looks at those of another,
// in several ways at once.
//
// Sequences are [length, batch, embed_dim], or [batch, length, embed_dim] with
// batch_first, or [length, embed_dim] alone. Masks are as PyTorch's: bool is
// true where nobody may look, floats are added to the scores.
#pragma once

#include "sluice/nn/linear.h"
#include "sluice/nn/module.h"
#include "sluice/nn/multi_head.h"

namespace sluice::nn {

struct MultiheadAttentionOptions {
  double dropout = 0;  // of the weights, in training
  bool bias = true;
  int64_t kdim = 0, vdim = 0;  // sizes of keys and values; 0: embed_dim
  bool batch_first = false;
  DType dtype = DType::kF32;
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
  int64_t embed_dim_, heads_;
  MultiheadAttentionOptions options_;
};

}  // namespace sluice::nn
