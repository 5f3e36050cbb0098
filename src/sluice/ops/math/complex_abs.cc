#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct ComplexAbsLoop {
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams&) {
    const complex64* x = static_cast<const complex64*>(in[0]);
    float* y = static_cast<float*>(out);
    constexpr float kInf = std::numeric_limits<float>::infinity();
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      double re = x[i].real(), im = x[i].imag();
      auto length = static_cast<float>(std::sqrt(re * re + im * im));
      bool long_re = std::fabs(x[i].real()) == kInf;
      bool long_im = std::fabs(x[i].imag()) == kInf;
      y[i] = long_re || long_im ? kInf : length;
    }
  }
};

BlockKernel Pick(const Attrs&, std::span<const DType>, DType) {
  return {
      PickLevel<ComplexAbsLoop>(), {}, TileOp::kNone, "formula::ComplexAbs"};
}

}  // namespace

// Samples have no imaginary parts; complex_test.cc does.
SL_OP(ComplexAbs)
    .doc("|x|, elementwise, without overflow on the way.")
    .input("x: complex64")
    .output("y: f32")
    .grad([](GradContext& g) {
      // Along x / |x|, and 0 at 0.
      GradVar share = g.call("DivNoNan", {g.dy(), g.out()});
      g.set_dx(0, g.call("MakeComplex", {share * g.call("Real", {g.in(0)}),
                                         share * g.call("Imag", {g.in(0)})}));
    })
    .elementwise(Pick)
    .reference([](double x) { return std::fabs(x); })
    .samples(UnarySamples(-2, 2, /*specials=*/false));

}  // namespace sluice
