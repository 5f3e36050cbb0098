#include "sluice/nn/attention.h"

#include <cmath>
#include <limits>

#include "sluice/eager/constants.h"
#include "sluice/eager/index.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/beside.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/init.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice {

using Where = std::source_location;

namespace {

// One op after the other, where weights are dropped in between.
Tensor AttentionInSteps(const Tensor& q, const Tensor& k, const Tensor& v,
                        const AttentionOptions& options, Where where) {
  Operand scale = options.scale;
  if (options.scale == 0 && q.dim(-1) >= 0) {
    scale = 1 / std::sqrt(static_cast<double>(q.dim(-1)));
  } else if (options.scale == 0) {
    scale = rsqrt(cast(shape(q, {}, where)[-1], q.dtype(), {}, where));
  }
  Tensor scores = batch_mat_mul(mul(q, scale, {}, where), k,
                                {.transpose_b = true}, {}, where);
  Tensor seen;
  if (options.attn_mask.defined() &&
      options.attn_mask.dtype() != DType::kBool) {
    scores = scores + cast(options.attn_mask, q.dtype(), {}, where);
  } else {
    seen = options.attn_mask;
  }
  if (options.is_causal) {
    auto places = [&](const Tensor& of) {
      Tensor count = shape(of, {}, where)[-2];
      return nn::Beside(of, range(int64_t{0}, count, int64_t{1}, {}, where),
                        where);
    };
    Tensor before = expand_dims(places(q), 1, {}, where) >= places(k);
    seen = seen.defined() ? logical_and(seen, before, {}, where) : before;
  }
  // A query that sees no key gets zeros, not 0 / 0.
  double little = q.dtype() == DType::kF16 ? -6e4 : -1e30;
  if (seen.defined()) scores = sluice::where(seen, scores, little, {}, where);
  Tensor weights = softmax(scores, {}, {}, where);
  if (seen.defined()) weights = sluice::where(seen, weights, 0, {}, where);
  weights = dropout(weights, options.dropout_p, true, where);
  return batch_mat_mul(weights, v, {}, {}, where);
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k,
                                    const Tensor& v,
                                    const AttentionOptions& options,
                                    Where where) {
  if (options.dropout_p != 0) return AttentionInSteps(q, k, v, options, where);
  std::vector<Operand> mask;
  if (options.attn_mask.defined()) mask.push_back(options.attn_mask);
  return attention(q, k, v, mask,
                   {.causal = options.is_causal, .scale = options.scale}, {},
                   where)
      .y;
}

namespace nn {

MultiheadAttention::MultiheadAttention(int64_t embed_dim, int64_t num_heads,
                                       const MultiheadAttentionOptions& options,
                                       Where where)
    : out_proj(embed_dim, embed_dim,
               {.bias = options.bias, .dtype = options.dtype}, where),
      embed_dim_(embed_dim),
      heads_(num_heads),
      depth_(num_heads > 0 ? embed_dim / num_heads : 0),
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

namespace {

bool Same(const Tensor& a, const Tensor& b) {
  if (a.symbolic() != b.symbolic()) return false;
  if (a.symbolic()) return a.value() == b.value();
  return a.eager() == b.eager();
}

}  // namespace

std::vector<Tensor> MultiheadAttention::Projected(const Tensor& x,
                                                  int64_t first,
                                                  int64_t count) {
  int64_t from = first * embed_dim_, to = (first + count) * embed_dim_;
  Tensor weight = in_proj_weight, bias = in_proj_bias;
  if (count < 3) {
    weight = weight.at({slice(from, to)}, line());
    if (bias.defined()) bias = bias.at({slice(from, to)}, line());
  }
  Tensor all = linear(x, weight, bias, line());
  // As [count, batch, heads, length, depth].
  all = Reshaped(all, {{x, 0}, {x, 1}, count, heads_, depth_}, line());
  std::vector<int64_t> order = {2, 1, 3, 0, 4};
  if (options_.batch_first) order = {2, 0, 3, 1, 4};
  all = transpose(all, {.perm = order}, {}, line());
  return unstack(all, count, {}, {}, line());
}

Tensor MultiheadAttention::ProjectedBy(const Tensor& x, const Tensor& weight,
                                       int64_t part) {
  Tensor bias;
  if (in_proj_bias.defined()) {
    bias = in_proj_bias.at({slice(part * embed_dim_, (part + 1) * embed_dim_)},
                           line());
  }
  Tensor y = linear(x, weight, bias, line());
  y = Reshaped(y, {{x, 0}, {x, 1}, heads_, depth_}, line());
  std::vector<int64_t> order = {1, 2, 0, 3};
  if (options_.batch_first) order = {0, 2, 1, 3};
  return transpose(y, {.perm = order}, {}, line());
}

MultiheadAttention::Heads MultiheadAttention::Project(const Tensor& query,
                                                      const Tensor& key,
                                                      const Tensor& value) {
  if (!in_proj_weight.defined()) {
    return {ProjectedBy(query, q_proj_weight, 0),
            ProjectedBy(key, k_proj_weight, 1),
            ProjectedBy(value, v_proj_weight, 2)};
  }
  bool one = Same(key, value);
  if (one && Same(query, key)) {
    std::vector<Tensor> all = Projected(query, 0, 3);
    return {all[0], all[1], all[2]};
  }
  Tensor q = Projected(query, 0, 1)[0];
  if (one) {
    std::vector<Tensor> both = Projected(key, 1, 2);
    return {q, both[0], both[1]};
  }
  return {q, Projected(key, 1, 1)[0], Projected(value, 2, 1)[0]};
}

// One mask that is true where one may look, or is added.
Tensor MultiheadAttention::Mask(const AttentionMasks& masks) {
  Tensor padding = masks.key_padding_mask, among = masks.attn_mask;
  if (padding.defined()) {
    SL_WANT(
        padding.rank() == 2, line(), "MultiheadAttention: key_padding_mask is ",
        TypeText(padding.dtype(), padding.shape()), "; wanted [batch, keys]");
    padding = Reshaped(padding, {{padding, 0}, 1, 1, {padding, 1}}, line());
  }
  if (among.defined()) {
    SL_WANT(among.rank() == 2 || among.rank() == 3, line(),
            "MultiheadAttention: attn_mask is ",
            TypeText(among.dtype(), among.shape()),
            "; wanted [queries, keys] or [batch heads, queries, keys]");
    if (among.rank() == 3) {
      among = Reshaped(among, {-1, heads_, {among, 1}, {among, 2}}, line());
    }
  }
  auto hides = [](const Tensor& m) {
    return m.defined() && m.dtype() == DType::kBool;
  };
  bool added = (padding.defined() && !hides(padding)) ||
               (among.defined() && !hides(among));
  Tensor all;
  for (Tensor mask : {padding, among}) {
    if (!mask.defined()) continue;
    if (!added) {
      mask = logical_not(mask, {}, line());
    } else if (hides(mask)) {
      float never = -std::numeric_limits<float>::infinity();
      mask = sluice::where(mask, never, 0.f, {}, line());
    } else if (mask.dtype() != DType::kF32) {
      mask = cast(mask, DType::kF32, {}, line());
    }
    if (!all.defined()) {
      all = mask;
    } else {
      all = added ? all + mask : logical_and(all, mask, {}, line());
    }
  }
  return all;
}

Tensor MultiheadAttention::forward(Tensor query, Tensor key, Tensor value,
                                   const AttentionMasks& masks) {
  int rank = query.rank();
  SL_WANT(
      (rank == 2 || rank == 3) && key.rank() == rank && value.rank() == rank,
      line(), "MultiheadAttention: query is ",
      TypeText(query.dtype(), query.shape()), ", key is ",
      TypeText(key.dtype(), key.shape()), ", value is ",
      TypeText(value.dtype(), value.shape()), "; wanted ",
      options_.batch_first ? "[batch, length, " : "[length, batch, ",
      embed_dim_, "]");
  if (rank == 2) {
    int64_t batch = options_.batch_first ? 0 : 1;
    bool one = Same(query, key), other = Same(key, value);
    Tensor q = expand_dims(query, batch, {}, line());
    Tensor k = one ? q : expand_dims(key, batch, {}, line());
    Tensor v = other ? k : expand_dims(value, batch, {}, line());
    AttentionMasks own = masks;
    if (own.key_padding_mask.defined()) {
      own.key_padding_mask = expand_dims(own.key_padding_mask, 0, {}, line());
    }
    Tensor y = forward(q, k, v, own);
    return squeeze(y, {.axes = {batch}}, {}, line());
  }
  Heads heads = Project(query, key, value);
  Tensor y = scaled_dot_product_attention(
      heads.q, heads.k, heads.v,
      {.attn_mask = Mask(masks),
       .is_causal = masks.is_causal,
       .dropout_p = training() ? options_.dropout : 0},
      line());
  std::vector<int64_t> order = {2, 0, 1, 3};
  if (options_.batch_first) order = {0, 2, 1, 3};
  y = transpose(y, {.perm = order}, {}, line());
  y = Reshaped(y, {{query, 0}, {query, 1}, embed_dim_}, line());
  return out_proj(y, line());
}

std::string MultiheadAttention::extra_repr() const {
  std::string text = StrCat(embed_dim_, ", ", heads_);
  if (options_.dropout > 0) StrAppend(text, ", dropout=", options_.dropout);
  if (!options_.bias) text += ", bias=false";
  if (options_.batch_first) text += ", batch_first=true";
  return text;
}

}  // namespace nn
}  // namespace sluice
