#include "sluice/nn/attention.h"

#include <cmath>

#include "sluice/eager/constants.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/init.h"

namespace sluice::nn {

MultiheadAttention::MultiheadAttention(int64_t embed_dim, int64_t num_heads,
                                       const MultiheadAttentionOptions& options,
                                       Where where)
    : out_proj(embed_dim, embed_dim,
               {.bias = options.bias, .dtype = options.dtype}, where),
      embed_dim_(embed_dim),
      heads_(num_heads),
      options_(options) {
  SL_WANT(num_heads > 0 && embed_dim > 0 && embed_dim % num_heads == 0, where,
          "MultiheadAttention: num_heads is ", num_heads,
          "; wanted it to divide embed_dim ", embed_dim);
  SL_WANT(options.dropout >= 0 && options.dropout <= 1, where,
          "MultiheadAttention: dropout is ", options.dropout,
          "; wanted 0 <= dropout <= 1");
  int64_t kdim = options.kdim ? options.kdim : embed_dim;
  int64_t vdim = options.vdim ? options.vdim : embed_dim;
  SL_WANT(kdim > 0 && vdim > 0, where, "MultiheadAttention: kdim is ", kdim,
          ", vdim is ", vdim, "; wanted both positive");
  auto weight = [&](std::string_view name, int64_t rows, int64_t columns) {
    double bound = std::sqrt(6.0 / static_cast<double>(rows + columns));
    return add_parameter(
        name, init::NewUniform({rows, columns}, bound, options.dtype));
  };
  if (kdim == embed_dim && vdim == embed_dim) {
    in_proj_weight = weight("in_proj_weight", 3 * embed_dim, embed_dim);
  } else {
    q_proj_weight = weight("q_proj_weight", embed_dim, embed_dim);
    k_proj_weight = weight("k_proj_weight", embed_dim, kdim);
    v_proj_weight = weight("v_proj_weight", embed_dim, vdim);
  }
  if (options.bias) {
    in_proj_bias =
        add_parameter("in_proj_bias", zeros({3 * embed_dim}, options.dtype));
    init::zeros_(out_proj.bias);
  }
  add("out_proj", out_proj);
}

Tensor MultiheadAttention::forward(Tensor query, Tensor key, Tensor value,
                                   const AttentionMasks& masks) {
  MultiHeadOutcome made =
      multi_head_attention(query, key, value,
                           {.in_proj = in_proj_weight,
                            .q = q_proj_weight,
                            .k = k_proj_weight,
                            .v = v_proj_weight,
                            .in_bias = in_proj_bias},
                           masks,
                           {.embed_dim = embed_dim_,
                            .num_heads = heads_,
                            .batch_first = options_.batch_first,
                            .dropout_p = training() ? options_.dropout : 0},
                           line());
  return out_proj(made.y, line());
}

std::string MultiheadAttention::extra_repr() const {
  std::string text = StrCat(embed_dim_, ", ", heads_);
  if (options_.dropout > 0) StrAppend(text, ", dropout=", options_.dropout);
  if (!options_.bias) text += ", bias=false";
  if (options_.batch_first) text += ", batch_first=true";
  return text;
}

}  // namespace sluice::nn
