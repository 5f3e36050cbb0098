#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct MakeComplexLoop {
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams&) {
    const float* re = static_cast<const float*>(in[0]);
    const float* im = static_cast<const float*>(in[1]);
    complex64* y = static_cast<complex64*>(out);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = complex64(re[i], im[i]);
  }
};

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  return {ref::Map(in, [](const std::vector<double>& v) { return v[0]; })};
}

std::vector<Sample> Samples() {
  Array zero = Array::Zeros(DType::kF32, {1});
  return {{.in = {{4}, zero}},
          {.in = {{2, 3}, zero}},
          {.in = {{0}, zero}},
          {.in = {Shape(), zero}},
          {.in = {{1031}, zero}}};
}

BlockKernel Pick(const Attrs&, std::span<const DType>, DType) {
  return {
      PickLevel<MakeComplexLoop>(), {}, TileOp::kNone, "formula::MakeComplex"};
}

}  // namespace

// Samples have no imaginary parts; complex_test.cc does.
SL_OP(MakeComplex)
    .doc(
        "Complex numbers from real and imaginary parts, elementwise with "
        "broadcasting.")
    .input("re: f32")
    .input("im: f32")
    .output("y: complex64")
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.call("Real", {g.dy()}));
      if (g.wants(1)) g.set_dx(1, g.call("Imag", {g.dy()}));
    })
    .elementwise(Pick)
    .reference(Reference)
    .samples(Samples());

}  // namespace sluice
