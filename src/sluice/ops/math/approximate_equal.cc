#include <cmath>
#include <limits>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

template <class C>
struct Tolerances {
  C relative, absolute;
};

template <bool kEqualNan>
struct ApproximateEqualFn {
  template <class C>
  static Tolerances<C> Prepare(const BlockParams& params) {
    return {static_cast<C>(params.p[0]), static_cast<C>(params.p[1])};
  }
  template <class C>
  static bool Apply(C a, C b, const Tolerances<C>& t) {
    // An infinite bound would call everything close to infinity.
    bool close = std::fabs(a - b) <= t.absolute + t.relative * std::fabs(b);
    close &= std::fabs(b) <= std::numeric_limits<C>::max();
    close |= a == b;
    if (kEqualNan) close |= (a != a) & (b != b);
    return close;
  }
};

BlockKernel Pick(const Attrs& attrs, std::span<const DType> in, DType out) {
  BlockKernel kernel =
      attrs.get<bool>("equal_nan")
          ? compare_block<ApproximateEqualFn<true>, FloatTypes>(attrs, in, out)
          : compare_block<ApproximateEqualFn<false>, FloatTypes>(attrs, in,
                                                                 out);
  kernel.params.p[0] = attrs.get<double>("rtol");
  kernel.params.p[1] = attrs.get<double>("atol");
  return kernel;
}

Status Infer(ShapeContext& c) {
  for (const char* name : {"rtol", "atol"}) {
    if (!(c.attr<double>(name) >= 0)) {
      return c.Error(
          StrCat(name, " is ", c.attr<double>(name), "; wanted 0 or more"));
    }
  }
  return shapes::broadcast(c);
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  double rtol = attrs.get<double>("rtol"), atol = attrs.get<double>("atol");
  bool equal_nan = attrs.get<bool>("equal_nan");
  return {ref::Map(in, [=](const std::vector<double>& v) -> double {
    if (std::isnan(v[0]) || std::isnan(v[1])) {
      return equal_nan && std::isnan(v[0]) && std::isnan(v[1]);
    }
    if (v[0] == v[1]) return true;
    return std::isfinite(v[0]) && std::isfinite(v[1]) &&
           std::fabs(v[0] - v[1]) <= atol + rtol * std::fabs(v[1]);
  })};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = BinarySamples();
  for (bool equal_nan : {false, true}) {
    samples.push_back(
        {.in = {Array::Vector<float>({1, 1, 1, 0, 5, HUGE_VALF, NAN, NAN}),
                Array::Vector<float>(
                    {1.05f, 1.2f, 1, 0.01f, HUGE_VALF, HUGE_VALF, NAN, 1})},
         .attrs = {{"rtol", 0.1}, {"atol", 0.02}, {"equal_nan", equal_nan}}});
  }
  return samples;
}

std::vector<Reject> Rejects() {
  std::vector<Reject> rejects = BinaryRejects("ApproximateEqual");
  rejects.push_back({.in = {{2}, {2}},
                     .attrs = {{"rtol", -1.0}},
                     .message = "[ApproximateEqual] rtol is -1; wanted 0 or "
                                "more"});
  return rejects;
}

}  // namespace

SL_OP(ApproximateEqual)
    .doc(
        "True where |a - b| <= atol + rtol |b|, elementwise with broadcasting. "
        "Infinities are close to themselves alone.")
    .input("a: T")
    .input("b: T")
    .output("y: bool")
    .types("T", kFloats)
    .attr("rtol", 1e-5, "How far, in parts of |b|.")
    .attr("atol", 1e-8, "How far at least.")
    .attr("equal_nan", false, "Whether NaN is close to NaN.")
    .shape(Infer)
    .no_grad("it compares")
    .elementwise(Pick)
    .reference(Reference)
    .samples(Samples())
    .rejects(Rejects());

}  // namespace sluice
