// Losses as functions, where ops have not all of PyTorch's arguments.
#include "nn_args.h"
#include "sluice/eager/default_float.h"
#include "sluice/nn/loss.h"
#include "sluice/ops.h"

namespace sluice::py {

namespace {

// Integers as floats: margins and means are not whole.
Tensor FloatArg(nb::handle object, std::string_view what) {
  Tensor x = TensorArg(object, what);
  bool whole = IsInteger(x.dtype()) || x.dtype() == DType::kBool;
  return whole ? cast(x, front_internal::DefaultFloat()) : x;
}

Tensor CrossEntropy(nb::handle input, nb::handle target, nb::handle weight,
                    int64_t ignore_index, const std::string& reduction,
                    double label_smoothing) {
  Tensor x = TensorArg(input, "cross_entropy(): input");
  Tensor labels = TensorArg(target, "cross_entropy(): target");
  CrossEntropyOptions options{
      .weight = OptionalArg(weight, "cross_entropy(): weight"),
      .ignore_index = ignore_index,
      .reduction = reduction,
      .label_smoothing = label_smoothing};
  LongCall call{x};
  return cross_entropy(x, labels, options);
}

Tensor NllLoss(nb::handle input, nb::handle target, nb::handle weight,
               int64_t ignore_index, const std::string& reduction) {
  Tensor x = TensorArg(input, "nll_loss(): input");
  Tensor labels = TensorArg(target, "nll_loss(): target");
  Tensor w = OptionalArg(weight, "nll_loss(): weight");
  LongCall call{x};
  return weighted_nll_loss(
      x, labels,
      {.weight = w, .ignore_index = ignore_index, .reduction = reduction});
}

Tensor Bce(nb::handle input, nb::handle target, nb::handle weight,
           const std::string& reduction) {
  Tensor x = TensorArg(input, "binary_cross_entropy(): input");
  Tensor t = TensorArg(target, "binary_cross_entropy(): target");
  Tensor w = OptionalArg(weight, "binary_cross_entropy(): weight");
  LongCall call{x};
  return binary_cross_entropy(x, t, {.weight = w, .reduction = reduction});
}

Tensor BceWithLogits(nb::handle input, nb::handle target, nb::handle weight,
                     nb::handle pos_weight, const std::string& reduction) {
  const char* name = "binary_cross_entropy_with_logits()";
  Tensor x = TensorArg(input, name);
  Tensor t = TensorArg(target, name);
  Tensor w = OptionalArg(weight, name), p = OptionalArg(pos_weight, name);
  LongCall call{x};
  return binary_cross_entropy_with_logits(
      x, t, {.weight = w, .pos_weight = p, .reduction = reduction});
}

Tensor KlDiv(nb::handle input, nb::handle target, const std::string& reduction,
             bool log_target) {
  Tensor x = TensorArg(input, "kl_div(): input");
  Tensor t = TensorArg(target, "kl_div(): target");
  LongCall call{x};
  return kl_div(x, t, {.reduction = reduction, .log_target = log_target});
}

Tensor MarginRanking(nb::handle input1, nb::handle input2, nb::handle target,
                     double margin, const std::string& reduction) {
  const char* name = "margin_ranking_loss()";
  Tensor a = FloatArg(input1, name), b = FloatArg(input2, name),
         t = TensorArg(target, name);
  LongCall call{a};
  if (t.dtype() != a.dtype()) t = cast(t, a.dtype());  // 1 and -1
  return margin_ranking_loss(a, b, t,
                             {.margin = margin, .reduction = reduction});
}

Tensor CosineEmbedding(nb::handle input1, nb::handle input2, nb::handle target,
                       double margin, const std::string& reduction) {
  const char* name = "cosine_embedding_loss()";
  Tensor a = FloatArg(input1, name), b = FloatArg(input2, name),
         t = TensorArg(target, name);
  LongCall call{a};
  return cosine_embedding_loss(a, b, t,
                               {.margin = margin, .reduction = reduction});
}

Tensor HingeEmbedding(nb::handle input, nb::handle target, double margin,
                      const std::string& reduction) {
  const char* name = "hinge_embedding_loss()";
  Tensor x = FloatArg(input, name), t = TensorArg(target, name);
  LongCall call{x};
  return hinge_embedding_loss(x, t, {.margin = margin, .reduction = reduction});
}

Tensor TripletMargin(nb::handle anchor, nb::handle positive,
                     nb::handle negative, double margin, double p, double eps,
                     bool swap, const std::string& reduction) {
  const char* name = "triplet_margin_loss()";
  Tensor a = FloatArg(anchor, name), b = FloatArg(positive, name),
         n = FloatArg(negative, name);
  LongCall call{a};
  return triplet_margin_loss(a, b, n,
                             {.margin = margin,
                              .p = p,
                              .eps = eps,
                              .swap = swap,
                              .reduction = reduction});
}

}  // namespace

void BindNnLosses(nb::module_& m) {
  m.def("nn_cross_entropy", &CrossEntropy, "input"_a, "target"_a,
        "weight"_a.none(), "ignore_index"_a, "reduction"_a,
        "label_smoothing"_a);
  m.def("nn_nll_loss", &NllLoss, "input"_a, "target"_a, "weight"_a.none(),
        "ignore_index"_a, "reduction"_a);
  m.def("nn_bce", &Bce, "input"_a, "target"_a, "weight"_a.none(),
        "reduction"_a);
  m.def("nn_bce_with_logits", &BceWithLogits, "input"_a, "target"_a,
        "weight"_a.none(), "pos_weight"_a.none(), "reduction"_a);
  m.def("nn_kl_div", &KlDiv, "input"_a, "target"_a, "reduction"_a,
        "log_target"_a);
  m.def("nn_margin_ranking_loss", &MarginRanking, "input1"_a, "input2"_a,
        "target"_a, "margin"_a, "reduction"_a);
  m.def("nn_cosine_embedding_loss", &CosineEmbedding, "input1"_a, "input2"_a,
        "target"_a, "margin"_a, "reduction"_a);
  m.def("nn_hinge_embedding_loss", &HingeEmbedding, "input"_a, "target"_a,
        "margin"_a, "reduction"_a);
  m.def("nn_triplet_margin_loss", &TripletMargin, "anchor"_a, "positive"_a,
        "negative"_a, "margin"_a, "p"_a, "eps"_a, "swap"_a, "reduction"_a);
  BindNnMarginLosses(m);
}

}  // namespace sluice::py
