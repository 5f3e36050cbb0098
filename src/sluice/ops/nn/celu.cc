#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct CeluFn : OneNumber {
  static constexpr const char* kAttrs[] = {"alpha"};
  template <class C>
  static C Apply(C x, C alpha) {
    return x > 0 ? x : alpha * vmath::Expm1(x / alpha);
  }
};

struct CeluGradFn : OneNumber {
  static constexpr const char* kAttrs[] = {"alpha"};
  template <class C>
  static C Apply(C dy, C x, C alpha) {
    return x > 0 ? dy : dy * vmath::Exp(x / alpha);
  }
};

Status Infer(ShapeContext& c) {
  if (c.attr<double>("alpha") == 0) {
    return c.Error("alpha is 0; wanted another number");
  }
  return shapes::broadcast(c);
}

}  // namespace

SL_OP(Celu)
    .doc("x where positive, else alpha (exp(x / alpha) - 1), elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("alpha", 1.0, "The scale of negative inputs.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("CeluGrad", {g.dy(), g.in(0)}, g.attrs()));
    })
    .elementwise(with_numbers<unary_block<CeluFn>, CeluFn>)
    .tolerance(2e-06)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double x = v[0], alpha = attrs.get<double>("alpha");
      return x > 0 ? x : alpha * std::expm1(x / alpha);
    }))
    .samples(UnarySamples(-5, 5) +
             WithAttrs(UnarySamples(-5, 5, /*specials=*/false),
                       {{"alpha", 0.5}}))
    .rejects(UnaryRejects("Celu") +
             std::vector<Reject>{
                 {.in = {{2}},
                  .attrs = {{"alpha", 0.0}},
                  .message = "[Celu] alpha is 0; wanted another number"}});

SL_OP(CeluGrad)
    .doc(
        "The gradient of y = celu(x): dy where x is positive, else dy exp(x / "
        "alpha).")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .attr("alpha", 1.0, "The scale of negative inputs.")
    .shape(Infer)
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      GradVar slope =
          g.call("CeluGrad", {g.dy() * g.in(0), g.in(1)}, g.attrs());
      g.set_dx(1, WhereNotPositive(g, slope) / g.attr<double>("alpha"));
    })
    .elementwise(with_numbers<binary_block<CeluGradFn, FloatTypes>, CeluGradFn>)
    .internal()
    .tolerance(2e-06)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      double alpha = attrs.get<double>("alpha");
      return v[1] > 0 ? v[0] : v[0] * std::exp(v[1] / alpha);
    }))
    .samples(BinarySamples(-5, 5, /*specials=*/false) +
             WithAttrs(BinarySamples(-5, 5, /*specials=*/false),
                       {{"alpha", 0.5}}))
    .rejects(GradRejects("CeluGrad") +
             std::vector<Reject>{
                 {.in = {{2}, {2}},
                  .attrs = {{"alpha", 0.0}},
                  .message = "[CeluGrad] alpha is 0; wanted another number"}});

}  // namespace sluice
