// Losses by margins and likelihoods, as functions.
#include "nn_args.h"
#include "sluice/nn/margin_loss.h"

namespace sluice::py {

namespace {

Tensor SoftMargin(nb::handle input, nb::handle target,
                  const std::string& reduction) {
  Tensor x = TensorArg(input, "soft_margin_loss(): input");
  Tensor y = TensorArg(target, "soft_margin_loss(): target");
  LongCall call{x};
  return soft_margin_loss(x, y, {.reduction = reduction});
}

Tensor MultilabelSoftMargin(nb::handle input, nb::handle target,
                            nb::handle weight, const std::string& reduction) {
  const char* name = "multilabel_soft_margin_loss()";
  Tensor x = TensorArg(input, name), y = TensorArg(target, name),
         w = OptionalArg(weight, name);
  LongCall call{x};
  return multilabel_soft_margin_loss(x, y,
                                     {.weight = w, .reduction = reduction});
}

Tensor MultiMargin(nb::handle input, nb::handle target, int p, double margin,
                   nb::handle weight, const std::string& reduction) {
  const char* name = "multi_margin_loss()";
  Tensor x = TensorArg(input, name), y = TensorArg(target, name),
         w = OptionalArg(weight, name);
  LongCall call{x};
  return multi_margin_loss(
      x, y, {.p = p, .margin = margin, .weight = w, .reduction = reduction});
}

Tensor MultilabelMargin(nb::handle input, nb::handle target,
                        const std::string& reduction) {
  const char* name = "multilabel_margin_loss()";
  Tensor x = TensorArg(input, name), y = TensorArg(target, name);
  LongCall call{x};
  return multilabel_margin_loss(x, y, {.reduction = reduction});
}

Tensor PoissonNll(nb::handle input, nb::handle target, bool log_input,
                  bool full, nb::handle eps, const std::string& reduction) {
  const char* name = "poisson_nll_loss()";
  Tensor x = TensorArg(input, name), y = TensorArg(target, name);
  double number = 0;
  bool plain = nb::try_cast<double>(eps, number);
  LongCall call{x};
  return poisson_nll_loss(
      x, y,
      {.log_input = log_input,
       .full = full,
       .eps = plain ? Operand(number) : Operand(TensorArg(eps, name)),
       .reduction = reduction});
}

Tensor GaussianNll(nb::handle input, nb::handle target, nb::handle var,
                   bool full, double eps, const std::string& reduction) {
  const char* name = "gaussian_nll_loss()";
  Tensor x = TensorArg(input, name), y = TensorArg(target, name),
         v = TensorArg(var, name);
  LongCall call{x};
  return gaussian_nll_loss(x, y, v,
                           {.full = full, .eps = eps, .reduction = reduction});
}

Tensor MarginOfDistances(nb::handle near, nb::handle far, double margin,
                         const std::string& reduction) {
  const char* name = "triplet_margin_with_distance_loss()";
  Tensor a = TensorArg(near, name), b = TensorArg(far, name);
  return margin_of_distances_loss(a, b,
                                  {.margin = margin, .reduction = reduction});
}

}  // namespace

void BindNnMarginLosses(nb::module_& m) {
  m.def("nn_soft_margin_loss", &SoftMargin, "input"_a, "target"_a,
        "reduction"_a);
  m.def("nn_multilabel_soft_margin_loss", &MultilabelSoftMargin, "input"_a,
        "target"_a, "weight"_a.none(), "reduction"_a);
  m.def("nn_multi_margin_loss", &MultiMargin, "input"_a, "target"_a, "p"_a,
        "margin"_a, "weight"_a.none(), "reduction"_a);
  m.def("nn_multilabel_margin_loss", &MultilabelMargin, "input"_a, "target"_a,
        "reduction"_a);
  m.def("nn_poisson_nll_loss", &PoissonNll, "input"_a, "target"_a,
        "log_input"_a, "full"_a, "eps"_a, "reduction"_a);
  m.def("nn_gaussian_nll_loss", &GaussianNll, "input"_a, "target"_a, "var"_a,
        "full"_a, "eps"_a, "reduction"_a);
  m.def("nn_margin_of_distances_loss", &MarginOfDistances, "near"_a, "far"_a,
        "margin"_a, "reduction"_a);
}

}  // namespace sluice::py
