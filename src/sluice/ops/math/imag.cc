#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct ImagLoop {
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams&) {
    const complex64* x = static_cast<const complex64*>(in[0]);
    float* y = static_cast<float*>(out);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = x[i].imag();
  }
};

BlockKernel Pick(const Attrs&, std::span<const DType>, DType) {
  return {PickLevel<ImagLoop>(), {}, TileOp::kNone, "formula::Imag"};
}

}  // namespace

// Samples have no imaginary parts; complex_test.cc does.
SL_OP(Imag)
    .doc("The imaginary parts, elementwise.")
    .input("x: complex64")
    .output("y: f32")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("MakeComplex", {g.scalar(0, DType::kF32), g.dy()}));
    })
    .elementwise(Pick)
    .reference([](double) { return 0.0; })
    .samples(UnarySamples(-2, 2, /*specials=*/false));

}  // namespace sluice
