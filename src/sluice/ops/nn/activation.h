// Shared by the activation functions and their gradients: formulas with numbers
// from attributes, references, samples and rejected inputs.
//
//   struct EluFn : OneNumber {
//     static constexpr const char* kAttrs[] = {"alpha"};
//     template <class C> static C Apply(C x, C alpha) { ... }
//   };
//   ... .elementwise(with_numbers<unary_block<EluFn>, EluFn>)
#pragma once

#include <cmath>
#include <string_view>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/formula/arithmetic.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/sample_lists.h"

namespace sluice {

// `block`'s kernel with the attributes F::kAttrs as its parameters.
template <BlockSelect block, class F>
BlockKernel with_numbers(const Attrs& attrs, std::span<const DType> in,
                         DType out) {
  BlockKernel kernel = block(attrs, in, out);
  int i = 0;
  for (const char* name : F::kAttrs) {
    kernel.params.p[i++] = attrs.get<double>(name);
  }
  return kernel;
}

// A reference from a formula of one element of each input.
inline RefFn Formula(double (*f)(const std::vector<double>& v, const Attrs&)) {
  return [f](const std::vector<RefArray>& in, const Attrs& attrs) {
    return std::vector<RefArray>{ref::Map(
        in, [&](const std::vector<double>& v) { return f(v, attrs); })};
  };
}

// The rules of gradient ops dx = dy f'(x) have this in common: by dy it is the
// same op again.
inline void SetGradByDy(GradContext& g) {
  if (!g.wants(0)) return;
  g.set_dx(0, g.call(g.op().name, {g.dy(), g.in(1)}, g.attrs()));
}

// `value` where x (input 1) is not positive, else 0.
inline GradVar WhereNotPositive(GradContext& g, GradVar value) {
  GradVar zero = g.scalar(0, value.dtype());
  return g.call("Select", {g.call("Greater", {g.in(1), zero}), zero, value});
}

// The samples again, with these attributes.
inline std::vector<Sample> WithAttrs(std::vector<Sample> samples,
                                     const Attrs& attrs) {
  for (Sample& s : samples) s.attrs = attrs;
  return samples;
}

// For dx = f(dy, x), or of y if that is the name of the second input.
inline std::vector<Reject> GradRejects(std::string_view op,
                                       std::string_view second = "x") {
  return {{.in = {{2}, {3}},
           .message = StrCat("[", op, "] shapes do not broadcast: dy is f32[2]",
                             ", ", second, " is f32[3]")},
          {.in = {{2}}, .message = StrCat("[", op, "] takes 2 inputs, got 1")},
          {.in = {{2}, Array::Zeros(DType::kF64, {2})},
           .message = StrCat("[", op, "] ", second, " is f64; wanted f32")}};
}

// dx = dy f'(x).
inline OpDefinition& ActivationGrad(OpDefinition&& op, std::string_view name) {
  return op.input("dy: T")
      .input("x: T")
      .output("dx: T")
      .types("T", kFloats)
      .internal()
      .rejects(GradRejects(name));
}

}  // namespace sluice
