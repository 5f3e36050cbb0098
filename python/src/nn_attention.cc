// Attention: of heads, and the whole layer with its projections.
#include "nn_args.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/multi_head.h"

namespace sluice::py {

namespace {

using Where = std::source_location;

Tensor DotProductAttention(nb::handle query, nb::handle key, nb::handle value,
                           nb::handle attn_mask, double dropout_p,
                           bool is_causal, std::optional<double> scale) {
  const char* name = "scaled_dot_product_attention()";
  Tensor q = TensorArg(query, name), k = TensorArg(key, name),
         v = TensorArg(value, name);
  Tensor mask = OptionalArg(attn_mask, name);
  SL_WANT(!mask.defined() || !is_causal, Where::current(), name,
          ": attn_mask and is_causal; wanted one of them");
  LongCall call{q, k, v};
  if (scale == 0.0) {  // to the op that is the scale it has by default
    q = q * 0.0;
    scale = 1.0;
  }
  return scaled_dot_product_attention(q, k, v,
                                      {.attn_mask = mask,
                                       .is_causal = is_causal,
                                       .dropout_p = dropout_p,
                                       .scale = scale.value_or(0)});
}

nb::object MultiHead(nb::handle query, nb::handle key, nb::handle value,
                     nb::sequence weights, int64_t embed_dim, int64_t heads,
                     bool batch_first, nb::handle key_padding_mask,
                     nb::handle attn_mask, bool is_causal, bool need_weights,
                     bool average, double dropout_p) {
  const char* name = "MultiheadAttention";
  Tensor parts[7];
  SL_WANT(nb::len(weights) == 7, Where::current(), name, ": wanted 7 weights");
  for (size_t i = 0; i < 7; ++i) parts[i] = OptionalArg(weights[i], name);
  const nn::MultiHeadWeights projections{.in_proj = parts[0],
                                         .q = parts[1],
                                         .k = parts[2],
                                         .v = parts[3],
                                         .in_bias = parts[4]};
  Tensor q = TensorArg(query, "MultiheadAttention: query");
  Tensor k = TensorArg(key, "MultiheadAttention: key");
  Tensor v = TensorArg(value, "MultiheadAttention: value");
  const nn::AttentionMasks masks{
      .key_padding_mask = OptionalArg(key_padding_mask, name),
      .attn_mask = OptionalArg(attn_mask, name),
      .is_causal = is_causal};
  nn::MultiHeadOutcome made;
  {
    LongCall released{q, k, parts[5]};
    made = nn::multi_head_attention(q, k, v, projections, masks,
                                    {.embed_dim = embed_dim,
                                     .num_heads = heads,
                                     .batch_first = batch_first,
                                     .dropout_p = dropout_p,
                                     .need_weights = need_weights,
                                     .average_weights = average});
    made.y = linear(made.y, parts[5], parts[6]);
  }
  nb::object seen = nb::none();
  if (made.weights.defined()) seen = nb::cast(made.weights);
  return nb::make_tuple(made.y, seen);
}

}  // namespace

void BindNnAttention(nb::module_& m) {
  m.def("nn_attention", &DotProductAttention, "query"_a, "key"_a, "value"_a,
        "attn_mask"_a.none(), "dropout_p"_a, "is_causal"_a, "scale"_a.none());
  m.def("nn_multi_head", &MultiHead, "query"_a, "key"_a, "value"_a, "weights"_a,
        "embed_dim"_a, "heads"_a, "batch_first"_a, "key_padding_mask"_a.none(),
        "attn_mask"_a.none(), "is_causal"_a, "need_weights"_a, "average"_a,
        "dropout_p"_a);
}

}  // namespace sluice::py
