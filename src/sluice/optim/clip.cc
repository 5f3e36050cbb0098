#include "sluice/optim/clip.h"

#include "sluice/eager/grad_mode.h"
#include "sluice/eager/operators.h"
#include "sluice/eager/rows.h"
#include "sluice/ops.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

namespace {

// A gradient whose elements are all there once.
Tensor Settled(const Tensor& g) {
  return g.defined() && g.is_sparse() ? g.coalesce() : g;
}

Tensor Elements(const Tensor& g) { return g.is_sparse() ? g.values() : g; }

// The gradient with other elements in the same places.
Tensor WithElements(const Tensor& g, const Tensor& elements) {
  if (!g.is_sparse()) return elements;
  if (g.traced()) return RowsAt(g, g.indices(), elements);
  if (!elements.symbolic()) {
    return Tensor(MakeRows(g.indices().eager(), elements.eager(), g.dtype(),
                           g.shape().ToShape()));
  }
  auto rows = MakeRef<Tensor::GraphRows>();
  rows->indices = g.indices().value();
  rows->values = elements.value();
  rows->shape = g.dense_shape().value();
  rows->dense = g.shape();
  return Tensor(elements.graph(), std::move(rows));
}

std::vector<Tensor> Settled(const std::vector<Tensor>& gradients) {
  std::vector<Tensor> settled;
  for (const Tensor& g : gradients) settled.push_back(Settled(g));
  return settled;
}

// The norm of all elements. That of order 2 is the root of one sum, which is
// quicker than a norm of norms.
Tensor NormOfSettled(const std::vector<Tensor>& gradients, double norm_type,
                     const std::source_location& where) {
  DType dtype = DType::kF32;
  for (const Tensor& g : gradients) {
    if (g.defined() && g.dtype() == DType::kF64) dtype = DType::kF64;
  }
  std::vector<Tensor> parts;
  for (const Tensor& g : gradients) {
    if (!g.defined()) continue;
    Tensor x = Elements(g);
    // Of 16 bits a sum of squares would be beyond all numbers.
    if (x.dtype() != dtype) x = cast(x, dtype);
    parts.push_back(norm_type == 2 ? sum(x * x) : norm(x, {.p = norm_type}));
  }
  if (parts.empty()) Refuse("global_norm: no gradients", &where);
  if (norm_type == 2) return sqrt(parts.size() == 1 ? parts[0] : add_n(parts));
  return parts.size() == 1 ? parts[0] : norm(stack(parts), {.p = norm_type});
}

// Throws, or fails in the run of a graph, unless the norm is a finite number.
void CheckFinite(const Tensor& norm, std::source_location where) {
  constexpr std::string_view kWhat =
      "clip_grad_norm_: the norm of the gradients is ";
  if (norm.symbolic()) {
    assert_that(isfinite(norm, {}, where), {},
                {.message = StrCat(kWhat, "not finite")}, {}, where);
    return;
  }
  double number = cast(norm, DType::kF64).item<double>();
  if (std::isfinite(number)) return;
  throw Error(FailedPrecondition(
                  StrCat(kWhat, number,
                         "; wanted a finite one, with error_if_nonfinite=True"))
                  .WithLine(StrCat("at ", SourceLine::From(where))));
}

// All gradients times max_norm / norm where that is less than 1.
std::vector<Tensor> Scaled(const std::vector<Tensor>& settled,
                           const Tensor& norm, double max_norm) {
  Tensor factor = minimum(max_norm / (norm + 1e-6), 1.0);
  std::vector<Tensor> scaled;
  for (const Tensor& g : settled) {
    if (!g.defined()) {
      scaled.push_back({});
      continue;
    }
    Tensor typed = g.dtype() == norm.dtype() ? factor : cast(factor, g.dtype());
    scaled.push_back(WithElements(g, Elements(g) * typed));
  }
  return scaled;
}

std::vector<Tensor> GradsOf(const Parameters& parameters) {
  std::vector<Tensor> grads;
  for (const auto& [name, variable] : parameters.entries()) {
    grads.push_back(variable.tensor().grad());
  }
  return grads;
}

void SetGrads(const Parameters& parameters, const std::vector<Tensor>& grads) {
  for (size_t i = 0; i < grads.size(); ++i) {
    if (grads[i].defined())
      parameters.entries()[i].variable.tensor().set_grad(grads[i]);
  }
}

}  // namespace

Tensor global_norm(const std::vector<Tensor>& gradients,
                   std::source_location where) {
  return NormOfSettled(Settled(gradients), 2, where);
}

Tensor global_norm(const std::vector<Tensor>& gradients, double norm_type,
                   std::source_location where) {
  return NormOfSettled(Settled(gradients), norm_type, where);
}

Clipped clip_by_global_norm(const std::vector<Tensor>& gradients,
                            double max_norm, std::source_location where) {
  CheckOption("clip_by_global_norm", "max_norm", max_norm);
  std::vector<Tensor> settled = Settled(gradients);
  Tensor norm = NormOfSettled(settled, 2, where);
  return {.gradients = Scaled(settled, norm, max_norm), .norm = norm};
}

std::vector<Tensor> clip_by_value(const std::vector<Tensor>& gradients,
                                  double limit, std::source_location) {
  CheckOption("clip_by_value", "limit", limit);
  std::vector<Tensor> clipped;
  for (const Tensor& given : gradients) {
    Tensor g = Settled(given);
    if (g.defined()) g = WithElements(g, clip(Elements(g), -limit, limit));
    clipped.push_back(g);
  }
  return clipped;
}

Tensor clip_grad_norm_(const Parameters& parameters, double max_norm,
                       const ClipNormOptions& options,
                       std::source_location where) {
  NoGrad off;
  std::vector<Tensor> grads = GradsOf(parameters);
  bool any = false;
  for (const Tensor& g : grads) any = any || g.defined();
  if (!any) return Tensor(MakeRef<EagerValue>(Array::Scalar(0.0f)));
  CheckOption("clip_grad_norm_", "max_norm", max_norm);
  std::vector<Tensor> settled = Settled(grads);
  Tensor norm = NormOfSettled(settled, options.norm_type, where);
  if (options.error_if_nonfinite) CheckFinite(norm, where);
  SetGrads(parameters, Scaled(settled, norm, max_norm));
  return norm;
}

void clip_grad_value_(const Parameters& parameters, double limit,
                      std::source_location where) {
  NoGrad off;
  SetGrads(parameters, clip_by_value(GradsOf(parameters), limit, where));
}

}  // namespace sluice::optim
