// Layers as functions: those of the last axis and of tables. Others have files
// of their own (nn_args.h lists them).
#include "bindings.h"
#include "nn_args.h"
#include "sluice/nn/alpha_dropout.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice::py {

namespace {

using Where = std::source_location;

Tensor Linear(nb::handle input, nb::handle weight, nb::handle bias) {
  Tensor x = TensorArg(input, "linear(): input");
  Tensor w = TensorArg(weight, "linear(): weight");
  Tensor b = OptionalArg(bias, "linear(): bias");
  LongCall call{x, w};
  if (w.rank() == 1) {  // one number for each row
    w = expand_dims(w, 0);
    return squeeze(linear(x, w, b), {.axes = {-1}});
  }
  return linear(x, w, b);
}

Tensor Bilinear(nb::handle input1, nb::handle input2, nb::handle weight,
                nb::handle bias) {
  Tensor x1 = TensorArg(input1, "bilinear(): input1");
  Tensor x2 = TensorArg(input2, "bilinear(): input2");
  Tensor w = TensorArg(weight, "bilinear(): weight");
  Tensor b = OptionalArg(bias, "bilinear(): bias");
  LongCall call{x1, x2, w};
  return bilinear(x1, x2, w, b);
}

Tensor Dropout(nb::handle input, double p, bool training) {
  Tensor x = TensorArg(input, "dropout(): input");
  LongCall call{x};
  return dropout(x, p, training);
}

Tensor DropChannels(nb::handle input, double p, bool training) {
  Tensor x = TensorArg(input, "dropout(): input");
  LongCall call{x};
  SL_WANT(x.rank() < 0 || x.rank() >= 2, Where::current(), "Dropout2d: x is ",
          TypeText(x.dtype(), x.shape()), "; wanted [batch, channels, ...]");
  return dropout_channels(x, p, training);
}

// `drawn`: None, or what to use in place of new numbers.
Tensor AlphaDropout(nb::handle input, double p, bool training, bool channels,
                    nb::handle drawn) {
  const char* name = channels ? "feature_alpha_dropout()" : "alpha_dropout()";
  Tensor x = TensorArg(input, name);
  AlphaDropoutOptions options{
      .p = p, .training = training, .drawn = OptionalArg(drawn, name)};
  LongCall call{x};
  return channels ? feature_alpha_dropout(x, options)
                  : alpha_dropout(x, options);
}

Tensor Rrelu(nb::handle input, double lower, double upper, bool training,
             nb::handle drawn) {
  Tensor x = TensorArg(input, "rrelu(): input");
  Tensor numbers = OptionalArg(drawn, "rrelu()");
  LongCall call{x};
  return rrelu(
      x,
      {.lower = lower, .upper = upper, .training = training, .drawn = numbers});
}

Tensor LocalResponse(nb::handle input, int64_t size, double alpha, double beta,
                     double k) {
  Tensor x = TensorArg(input, "local_response_norm(): input");
  LongCall call{x};
  return local_response_norm(x, size, {.alpha = alpha, .beta = beta, .k = k});
}

Tensor ChannelShuffle(nb::handle input, int64_t groups) {
  Tensor x = TensorArg(input, "channel_shuffle(): input");
  LongCall call{x};
  return channel_shuffle(x, groups);
}

Tensor Softplus(nb::handle input, double beta, double threshold) {
  Tensor x = TensorArg(input, "softplus(): input");
  LongCall call{x};
  return softplus(x, beta, threshold);
}

Tensor Prelu(nb::handle input, nb::handle weight) {
  Tensor x = TensorArg(input, "prelu(): input");
  Tensor w = TensorArg(weight, "prelu(): weight");
  int64_t slopes = w.rank() == 1 ? SizeOf(weight, w, 0) : w.num_elements();
  LongCall call{x};
  if (slopes == 1 && x.rank() == 0) w = reshape(w, nn::Ints({}));
  if (slopes == 1 || x.rank() < 0) return prelu(x, w);
  int channels = x.rank() == 1 ? 0 : 1;
  bool fits = x.rank() > 0 && w.rank() == 1 &&
              (x.dim(channels) < 0 || x.dim(channels) == slopes);
  SL_WANT(fits, Where::current(), "prelu: input is ",
          TypeText(x.dtype(), x.shape()), "; wanted ", slopes,
          " channels on axis 1, or one slope");
  std::vector<int64_t> shape(static_cast<size_t>(x.rank() - channels), 1);
  shape[0] = slopes;
  return prelu(x, reshape(w, nn::Ints(shape)));
}

Tensor Normalize(nb::handle input, double p, int64_t dim, double eps) {
  Tensor x = TensorArg(input, "normalize(): input");
  LongCall call{x};
  return normalize(x, p, dim, eps);
}

Tensor PairwiseDistance(nb::handle x1, nb::handle x2, double p, double eps,
                        bool keepdim) {
  Tensor a = TensorArg(x1, "pairwise_distance(): x1");
  Tensor b = TensorArg(x2, "pairwise_distance(): x2");
  LongCall call{a, b};
  return pairwise_distance(a, b, {.p = p, .eps = eps, .keep_dims = keepdim});
}

Tensor GumbelSoftmax(nb::handle logits, double tau, bool hard, int64_t dim) {
  Tensor x = TensorArg(logits, "gumbel_softmax(): logits");
  LongCall call{x};
  return gumbel_softmax(x, {.tau = tau, .hard = hard, .axis = dim});
}

Tensor Embedding(nb::handle input, nb::handle weight,
                 std::optional<int64_t> padding_idx, bool sparse) {
  Tensor ids = TensorArg(input, "embedding(): input");
  Tensor table = TensorArg(weight, "embedding(): weight");
  LongCall call{ids, table};
  return embedding(ids, table, {.padding_idx = padding_idx, .sparse = sparse});
}

Tensor EmbeddingBag(nb::handle input, nb::handle weight, nb::handle offsets,
                    const std::string& mode) {
  Tensor ids = TensorArg(input, "embedding_bag(): input");
  Tensor table = TensorArg(weight, "embedding_bag(): weight");
  Tensor begins = OptionalArg(offsets, "embedding_bag(): offsets");
  LongCall call{ids, table};
  SL_WANT(ids.rank() == (begins.defined() ? 1 : 2), Where::current(),
          "embedding_bag: input is ", TypeText(ids.dtype(), ids.shape()),
          "; wanted [bags, ids], or a vector and offsets");
  if (!begins.defined()) return embedding_bag_of_rows(table, ids, mode);
  if (begins.dtype() != ids.dtype()) begins = cast(begins, ids.dtype());
  return embedding_bag(table, ids, begins, {.mode = mode});
}

}  // namespace

void BindNnFunctional(nb::module_& m) {
  m.def("nn_linear", &Linear, "input"_a, "weight"_a, "bias"_a.none());
  m.def("nn_bilinear", &Bilinear, "input1"_a, "input2"_a, "weight"_a,
        "bias"_a.none());
  m.def("nn_dropout", &Dropout, "input"_a, "p"_a, "training"_a);
  m.def("nn_drop_channels", &DropChannels, "input"_a, "p"_a, "training"_a);
  m.def("nn_alpha_dropout", &AlphaDropout, "input"_a, "p"_a, "training"_a,
        "channels"_a, "drawn"_a.none());
  m.def("nn_rrelu", &Rrelu, "input"_a, "lower"_a, "upper"_a, "training"_a,
        "drawn"_a.none());
  m.def("nn_local_response_norm", &LocalResponse, "input"_a, "size"_a,
        "alpha"_a, "beta"_a, "k"_a);
  m.def("nn_channel_shuffle", &ChannelShuffle, "input"_a, "groups"_a);
  m.def("nn_softplus", &Softplus, "input"_a, "beta"_a, "threshold"_a);
  m.def("nn_prelu", &Prelu, "input"_a, "weight"_a);
  m.def("nn_normalize", &Normalize, "input"_a, "p"_a, "dim"_a, "eps"_a);
  m.def("nn_pairwise_distance", &PairwiseDistance, "x1"_a, "x2"_a, "p"_a,
        "eps"_a, "keepdim"_a);
  m.def("nn_gumbel_softmax", &GumbelSoftmax, "logits"_a, "tau"_a, "hard"_a,
        "dim"_a);
  m.def("nn_embedding", &Embedding, "input"_a, "weight"_a,
        "padding_idx"_a.none(), "sparse"_a);
  m.def("nn_embedding_bag", &EmbeddingBag, "input"_a, "weight"_a,
        "offsets"_a.none(), "mode"_a);
  BindNnShapes(m);
  BindNnImages(m);
  BindNnNorms(m);
  BindNnLosses(m);
  BindNnAttention(m);
}

}  // namespace sluice::py
