#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct GeluFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Gelu(x);
  }
  static constexpr uint32_t kNear = vmath::kGeluNear;
  static uint32_t Distance(float x) { return vmath::Distance(x); }
  template <class F>
  static F Near(F x) {
    return vmath::GeluNear(x);
  }
  static constexpr int kWave = 4;
};
struct GeluTanhFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::GeluTanh(x);
  }
};

BlockKernel Pick(const Attrs& attrs, std::span<const DType> in, DType out) {
  return attrs.get<std::string>("approximate") == "tanh"
             ? long_block<GeluTanhFn>(attrs, in, out)
             : long_block<GeluFn>(attrs, in, out);
}

double Exact(double x) {
  return x < -40 ? 0 : x * 0.5 * std::erfc(-x * std::sqrt(0.5));
}
double Approximate(double x) {
  double inner = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
  return x < -40 ? 0 : x / (1 + std::exp(-2 * inner));
}

}  // namespace

SL_OP(Gelu)
    .doc(
        "x times the normal distribution function at x, elementwise; or the "
        "usual approximation of it by tanh.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("approximate", "none", "none, or tanh.")
    .one_of({"none", "tanh"})
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("GeluGrad", {g.dy(), g.in(0)}, g.attrs()));
    })
    .elementwise(Pick)
    .max_ulp(5)
    .tolerance(2e-7)
    .reference(Formula([](const std::vector<double>& v, const Attrs& attrs) {
      return attrs.get<std::string>("approximate") == "tanh" ? Approximate(v[0])
                                                             : Exact(v[0]);
    }))
    .samples(UnarySamples(-6, 6) +
             WithAttrs(UnarySamples(-6, 6), {{"approximate", "tanh"}}))
    .rejects(UnaryRejects("Gelu") +
             std::vector<Reject>{
                 {.in = {{2}},
                  .attrs = {{"approximate", "exact"}},
                  .message = "[Gelu] attribute approximate is \"exact\"; "
                             "wanted one of none, tanh"}});

}  // namespace sluice
