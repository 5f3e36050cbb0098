#include "sluice/nn/multi_head.h"

#include <cmath>
#include <limits>
#include <vector>

#include "sluice/eager/index.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/beside.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice {

using Where = std::source_location;

namespace {

bool IsBool(const Tensor& mask) {
  return mask.defined() && mask.dtype() == DType::kBool;
}

struct Attended {
  Tensor y, weights;
};

// One op after the other, where weights are dropped in between or wanted.
Attended AttentionInSteps(const Tensor& q, const Tensor& k, const Tensor& v,
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
  if (options.attn_mask.defined() && !IsBool(options.attn_mask)) {
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
  weights = dropout(weights, options.dropout_p, options.dropout_p != 0, where);
  return {batch_mat_mul(weights, v, {}, {}, where), weights};
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k,
                                    const Tensor& v,
                                    const AttentionOptions& options,
                                    Where where) {
  if (options.dropout_p != 0) {
    return AttentionInSteps(q, k, v, options, where).y;
  }
  std::vector<Operand> mask;
  if (options.attn_mask.defined()) mask.push_back(options.attn_mask);
  return attention(q, k, v, mask,
                   {.causal = options.is_causal, .scale = options.scale}, {},
                   where)
      .y;
}

namespace nn {

namespace {

bool Same(const Tensor& a, const Tensor& b) {
  if (a.symbolic() != b.symbolic()) return false;
  if (a.symbolic()) return a.value() == b.value();
  return a.eager() == b.eager();
}

// One call: its weights and how it is to be done.
class MultiHead {
 public:
  MultiHead(const MultiHeadWeights& weights, const MultiHeadOptions& options,
            Where where)
      : weights_(weights), options_(options), where_(where) {}

  MultiHeadOutcome Attend(const Tensor& query, const Tensor& key,
                          const Tensor& value,
                          const AttentionMasks& masks) const;
  // One sequence without a batch gets one for the time.
  MultiHeadOutcome AttendAlone(const Tensor& query, const Tensor& key,
                               const Tensor& value, AttentionMasks masks) const;

 private:
  struct Heads {
    Tensor q, k, v;  // [batch, heads, length, depth]
  };
  int64_t depth() const { return options_.embed_dim / options_.num_heads; }
  Heads Project(const Tensor& query, const Tensor& key,
                const Tensor& value) const;
  // `count` projections of x from row `first` of the weight on, as heads.
  std::vector<Tensor> Projected(const Tensor& x, int64_t first,
                                int64_t count) const;
  Tensor ProjectedBy(const Tensor& x, const Tensor& weight, int64_t part) const;
  // One mask that is true where one may look, or is added.
  Tensor Mask(const AttentionMasks& masks) const;

  const MultiHeadWeights& weights_;
  const MultiHeadOptions& options_;
  const Where where_;
};

std::vector<Tensor> MultiHead::Projected(const Tensor& x, int64_t first,
                                         int64_t count) const {
  const int64_t embed_dim = options_.embed_dim;
  const int64_t from = first * embed_dim, to = (first + count) * embed_dim;
  Tensor weight = weights_.in_proj, bias = weights_.in_bias;
  if (count < 3) {
    weight = weight.at({slice(from, to)}, where_);
    if (bias.defined()) bias = bias.at({slice(from, to)}, where_);
  }
  Tensor all = linear(x, weight, bias, where_);
  // As [count, batch, heads, length, depth].
  all = Reshaped(all, {{x, 0}, {x, 1}, count, options_.num_heads, depth()},
                 where_);
  std::vector<int64_t> order = {2, 1, 3, 0, 4};
  if (options_.batch_first) order = {2, 0, 3, 1, 4};
  all = transpose(all, {.perm = order}, {}, where_);
  return unstack(all, count, {}, {}, where_);
}

Tensor MultiHead::ProjectedBy(const Tensor& x, const Tensor& weight,
                              int64_t part) const {
  const int64_t from = part * options_.embed_dim;
  Tensor bias = weights_.in_bias;
  if (bias.defined()) {
    bias = bias.at({slice(from, from + options_.embed_dim)}, where_);
  }
  Tensor y = linear(x, weight, bias, where_);
  y = Reshaped(y, {{x, 0}, {x, 1}, options_.num_heads, depth()}, where_);
  std::vector<int64_t> order = {1, 2, 0, 3};
  if (options_.batch_first) order = {0, 2, 1, 3};
  return transpose(y, {.perm = order}, {}, where_);
}

MultiHead::Heads MultiHead::Project(const Tensor& query, const Tensor& key,
                                    const Tensor& value) const {
  if (!weights_.in_proj.defined()) {
    return {ProjectedBy(query, weights_.q, 0), ProjectedBy(key, weights_.k, 1),
            ProjectedBy(value, weights_.v, 2)};
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

Tensor MultiHead::Mask(const AttentionMasks& masks) const {
  Tensor padding = masks.key_padding_mask, among = masks.attn_mask;
  if (padding.defined()) {
    SL_WANT(
        padding.rank() == 2, where_, "MultiheadAttention: key_padding_mask is ",
        TypeText(padding.dtype(), padding.shape()), "; wanted [batch, keys]");
    padding = Reshaped(padding, {{padding, 0}, 1, 1, {padding, 1}}, where_);
  }
  if (among.defined()) {
    SL_WANT(among.rank() == 2 || among.rank() == 3, where_,
            "MultiheadAttention: attn_mask is ",
            TypeText(among.dtype(), among.shape()),
            "; wanted [queries, keys] or [batch heads, queries, keys]");
    if (among.rank() == 3) {
      among = Reshaped(among, {-1, options_.num_heads, {among, 1}, {among, 2}},
                       where_);
    }
  }
  const bool added = (padding.defined() && !IsBool(padding)) ||
                     (among.defined() && !IsBool(among));
  Tensor all;
  for (Tensor mask : {padding, among}) {
    if (!mask.defined()) continue;
    if (!added) {
      mask = logical_not(mask, {}, where_);
    } else if (IsBool(mask)) {
      float never = -std::numeric_limits<float>::infinity();
      mask = sluice::where(mask, never, 0.f, {}, where_);
    } else if (mask.dtype() != DType::kF32) {
      mask = cast(mask, DType::kF32, {}, where_);
    }
    if (!all.defined()) {
      all = mask;
    } else {
      all = added ? all + mask : logical_and(all, mask, {}, where_);
    }
  }
  return all;
}

MultiHeadOutcome MultiHead::Attend(const Tensor& query, const Tensor& key,
                                   const Tensor& value,
                                   const AttentionMasks& masks) const {
  Heads heads = Project(query, key, value);
  const AttentionOptions how{.attn_mask = Mask(masks),
                             .is_causal = masks.is_causal,
                             .dropout_p = options_.dropout_p};
  Attended made;
  if (options_.need_weights) {
    made = AttentionInSteps(heads.q, heads.k, heads.v, how, where_);
    if (options_.average_weights) {
      made.weights = mean(made.weights, {.axes = {1}}, {}, where_);
    }
  } else {
    made.y =
        scaled_dot_product_attention(heads.q, heads.k, heads.v, how, where_);
  }
  std::vector<int64_t> order = {2, 0, 1, 3};
  if (options_.batch_first) order = {0, 2, 1, 3};
  Tensor y = transpose(made.y, {.perm = order}, {}, where_);
  y = Reshaped(y, {{query, 0}, {query, 1}, options_.embed_dim}, where_);
  return {y, made.weights};
}

MultiHeadOutcome MultiHead::AttendAlone(const Tensor& query, const Tensor& key,
                                        const Tensor& value,
                                        AttentionMasks masks) const {
  const int64_t batch = options_.batch_first ? 0 : 1;
  Tensor q = expand_dims(query, batch, {}, where_);
  Tensor k = Same(query, key) ? q : expand_dims(key, batch, {}, where_);
  Tensor v = Same(key, value) ? k : expand_dims(value, batch, {}, where_);
  if (masks.key_padding_mask.defined()) {
    masks.key_padding_mask = expand_dims(masks.key_padding_mask, 0, {}, where_);
  }
  MultiHeadOutcome made = Attend(q, k, v, masks);
  made.y = squeeze(made.y, {.axes = {batch}}, {}, where_);
  if (made.weights.defined()) {
    made.weights = squeeze(made.weights, {.axes = {0}}, {}, where_);
  }
  return made;
}

}  // namespace

MultiHeadOutcome multi_head_attention(const Tensor& query, const Tensor& key,
                                      const Tensor& value,
                                      const MultiHeadWeights& weights,
                                      const AttentionMasks& masks,
                                      const MultiHeadOptions& options,
                                      Where where) {
  const int rank = query.rank();
  SL_WANT(
      (rank == 2 || rank == 3) && key.rank() == rank && value.rank() == rank,
      where, "MultiheadAttention: query is ",
      TypeText(query.dtype(), query.shape()), ", key is ",
      TypeText(key.dtype(), key.shape()), ", value is ",
      TypeText(value.dtype(), value.shape()), "; wanted ",
      options.batch_first ? "[batch, length, " : "[length, batch, ",
      options.embed_dim, "]");
  MultiHead call(weights, options, where);
  return rank == 2 ? call.AttendAlone(query, key, value, masks)
                   : call.Attend(query, key, value, masks);
}

}  // namespace nn
}  // namespace sluice
