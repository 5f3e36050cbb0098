#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct ConjLoop {
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams&) {
    const complex64* x = static_cast<const complex64*>(in[0]);
    complex64* y = static_cast<complex64*>(out);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = complex64(x[i].real(), -x[i].imag());
  }
};

BlockKernel Pick(const Attrs&, std::span<const DType>, DType) {
  return {PickLevel<ConjLoop>(), {}, TileOp::kNone, "formula::Conj"};
}

}  // namespace

// Samples have no imaginary parts; complex_test.cc does.
SL_OP(Conj)
    .doc("The conjugates, elementwise: imaginary parts with the other sign.")
    .input("x: complex64")
    .output("y: complex64")
    .grad([](GradContext& g) { g.set_dx(0, g.call("Conj", {g.dy()})); })
    .elementwise(Pick)
    .reference([](double x) { return x; })
    .samples(UnarySamples(-2, 2, /*specials=*/false));

}  // namespace sluice
