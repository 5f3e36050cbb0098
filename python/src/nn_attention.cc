// Attention: of heads, and the whole layer with its projections.
#include <cmath>
#include <limits>

#include "nn_args.h"
#include "sluice/eager/index.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/attention.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice::py {

namespace {

using nn::Reshaped;
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

struct Weights {
  Tensor in_proj, q, k, v, in_bias;  // in_proj, or q, k and v
  Tensor out, out_bias;
};

struct Layer {
  Weights weights;
  int64_t embed_dim, heads;
  bool batch_first;
};

// x projected by one part of the weights (0: queries, 1: keys, 2: values), as
// [batch, heads, length, depth].
Tensor Projected(const Layer& layer, const Tensor& x, int64_t part) {
  const Weights& w = layer.weights;
  int64_t from = part * layer.embed_dim, to = from + layer.embed_dim;
  Tensor weight = w.in_proj.defined() ? w.in_proj.at({slice(from, to)})
                                      : (part == 0   ? w.q
                                         : part == 1 ? w.k
                                                     : w.v);
  Tensor bias;
  if (w.in_bias.defined()) bias = w.in_bias.at({slice(from, to)});
  Tensor y = linear(x, weight, bias);
  y = Reshaped(y, {{x, 0}, {x, 1}, layer.heads, layer.embed_dim / layer.heads},
               Where::current());
  std::vector<int64_t> order = {1, 2, 0, 3};
  if (layer.batch_first) order = {0, 2, 1, 3};
  return transpose(y, {.perm = order});
}

// All three at once where a sequence looks at itself.
std::vector<Tensor> ProjectedAlike(const Layer& layer, const Tensor& x) {
  Tensor all = linear(x, layer.weights.in_proj, layer.weights.in_bias);
  all = Reshaped(
      all, {{x, 0}, {x, 1}, 3, layer.heads, layer.embed_dim / layer.heads},
      Where::current());
  std::vector<int64_t> order = {2, 1, 3, 0, 4};
  if (layer.batch_first) order = {2, 0, 3, 1, 4};
  return unstack(transpose(all, {.perm = order}), 3);
}

bool Hides(const Tensor& mask) { return mask.dtype() == DType::kBool; }

// Masks as numbers to be added, or, where all are bool, true where one may
// look.
Tensor Mask(const Layer& layer, Tensor padding, Tensor among, bool add) {
  if (padding.defined()) {
    SL_WANT(padding.rank() == 2, Where::current(),
            "MultiheadAttention: key_padding_mask is ",
            TypeText(padding.dtype(), padding.shape()),
            "; wanted [batch, keys]");
    padding =
        Reshaped(padding, {{padding, 0}, 1, 1, {padding, 1}}, Where::current());
  }
  if (among.defined()) {
    SL_WANT(among.rank() == 2 || among.rank() == 3, Where::current(),
            "MultiheadAttention: attn_mask is ",
            TypeText(among.dtype(), among.shape()),
            "; wanted [queries, keys] or [batch heads, queries, keys]");
    if (among.rank() == 3) {
      among = Reshaped(among, {-1, layer.heads, {among, 1}, {among, 2}},
                       Where::current());
    }
  }
  Tensor all;
  for (Tensor mask : {padding, among}) {
    if (!mask.defined()) continue;
    if (!add) {
      mask = logical_not(mask);
    } else if (Hides(mask)) {
      float never = -std::numeric_limits<float>::infinity();
      mask = where(mask, never, 0.f);
    } else if (mask.dtype() != DType::kF32) {
      mask = cast(mask, DType::kF32);
    }
    if (!all.defined()) {
      all = mask;
    } else {
      all = add ? all + mask : logical_and(all, mask);
    }
  }
  return all;
}

// Step by step, for who wants to see the weights [batch, heads, queries, keys].
std::pair<Tensor, Tensor> AttendSeen(const Tensor& q, const Tensor& k,
                                     const Tensor& v, const Tensor& mask,
                                     int64_t depth, bool causal,
                                     double dropout_p) {
  double scale = 1 / std::sqrt(static_cast<double>(depth));
  Tensor scores = batch_mat_mul(q * scale, k, {.transpose_b = true});
  Tensor seen;
  if (mask.defined() && !Hides(mask)) {
    scores = scores + cast(mask, q.dtype());
  } else {
    seen = mask;
  }
  if (causal) {
    auto places = [](const Tensor& of) {
      return range(int64_t{0}, shape(of)[-2], int64_t{1});
    };
    Tensor before = expand_dims(places(q), 1) >= places(k);
    seen = seen.defined() ? logical_and(seen, before) : before;
  }
  // Who sees nothing gets zeros, not 0 / 0.
  double little = q.dtype() == DType::kF16 ? -6e4 : -1e30;
  if (seen.defined()) scores = where(seen, scores, little);
  Tensor weights = softmax(scores);
  if (seen.defined()) weights = where(seen, weights, 0);
  weights = dropout(weights, dropout_p, dropout_p > 0);
  return {batch_mat_mul(weights, v), weights};
}

struct Call {
  Tensor query, key, value, padding, among;
  bool alike, causal, need_weights, average;
  double dropout_p;
};

std::pair<Tensor, Tensor> Attend(const Layer& layer, const Call& call) {
  Tensor q, k, v;
  if (call.alike && layer.weights.in_proj.defined()) {
    std::vector<Tensor> all = ProjectedAlike(layer, call.query);
    q = all[0], k = all[1], v = all[2];
  } else {
    q = Projected(layer, call.query, 0);
    k = Projected(layer, call.key, 1);
    v = Projected(layer, call.value, 2);
  }
  bool add = (call.padding.defined() && !Hides(call.padding)) ||
             (call.among.defined() && !Hides(call.among));
  Tensor mask = Mask(layer, call.padding, call.among, add);
  Tensor y, weights;
  if (call.need_weights) {
    std::tie(y, weights) =
        AttendSeen(q, k, v, mask, layer.embed_dim / layer.heads, call.causal,
                   call.dropout_p);
    if (call.average) weights = mean(weights, {.axes = {1}});
  } else {
    y = scaled_dot_product_attention(q, k, v,
                                     {.attn_mask = mask,
                                      .is_causal = call.causal,
                                      .dropout_p = call.dropout_p});
  }
  std::vector<int64_t> order = {2, 0, 1, 3};
  if (layer.batch_first) order = {0, 2, 1, 3};
  y = Reshaped(transpose(y, {.perm = order}),
               {{call.query, 0}, {call.query, 1}, layer.embed_dim},
               Where::current());
  return {linear(y, layer.weights.out, layer.weights.out_bias), weights};
}

// One sequence without a batch gets one for the time.
std::pair<Tensor, Tensor> AttendAlone(const Layer& layer, Call call) {
  int64_t batch = layer.batch_first ? 0 : 1;
  call.query = expand_dims(call.query, batch);
  call.key = call.alike ? call.query : expand_dims(call.key, batch);
  call.value = call.alike ? call.query : expand_dims(call.value, batch);
  if (call.padding.defined()) call.padding = expand_dims(call.padding, 0);
  auto [y, weights] = Attend(layer, call);
  if (weights.defined()) weights = squeeze(weights, {.axes = {0}});
  return {squeeze(y, {.axes = {batch}}), weights};
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
  Layer layer{
      {parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]},
      embed_dim,
      heads,
      batch_first};
  Call call{.query = TensorArg(query, "MultiheadAttention: query"),
            .key = TensorArg(key, "MultiheadAttention: key"),
            .value = TensorArg(value, "MultiheadAttention: value"),
            .padding = OptionalArg(key_padding_mask, name),
            .among = OptionalArg(attn_mask, name),
            .alike = query.is(key) && key.is(value),
            .causal = is_causal,
            .need_weights = need_weights,
            .average = average,
            .dropout_p = dropout_p};
  int rank = call.query.rank();
  SL_WANT((rank == 2 || rank == 3) && call.key.rank() == rank &&
              call.value.rank() == rank,
          Where::current(), "MultiheadAttention: query is ",
          TypeText(call.query.dtype(), call.query.shape()), ", key is ",
          TypeText(call.key.dtype(), call.key.shape()), ", value is ",
          TypeText(call.value.dtype(), call.value.shape()), "; wanted ",
          batch_first ? "[batch, length, " : "[length, batch, ", embed_dim,
          "]");
  std::pair<Tensor, Tensor> made;
  {
    LongCall released{call.query, call.key, layer.weights.out};
    made = rank == 2 ? AttendAlone(layer, call) : Attend(layer, call);
  }
  nb::object seen = nb::none();
  if (made.second.defined()) seen = nb::cast(made.second);
  return nb::make_tuple(made.first, seen);
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
