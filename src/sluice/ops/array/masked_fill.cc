#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

template <class T>
void FillBlock(void* out, const void* const* in, int64_t n,
               const BlockParams&) {
  const T* x = static_cast<const T*>(in[0]);
  const uint8_t* mask = static_cast<const uint8_t*>(in[1]);
  const T* value = static_cast<const T*>(in[2]);
  T* y = static_cast<T*>(out);
  SL_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    // Both are read first: a load under a condition would not vectorise.
    T u = x[i], v = value[i];
    y[i] = mask[i] ? v : u;
  }
}

BlockKernel Pick(const Attrs&, std::span<const DType>, DType out) {
  BlockKernel kernel;
  kernel.formula = "formula::MaskedFill";
  DispatchBySize(out, [&]<class T>() { kernel.fn = FillBlock<T>; });
  return kernel;
}

}  // namespace

SL_OP(MaskedFill)
    .doc("value where mask is true, else x; elementwise with broadcasting.")
    .input("x: T")
    .input("mask: bool")
    .input("value: T")
    .output("y: T")
    .types("T", kPlain)
    .grad([](GradContext& g) {
      GradVar mask = g.in(1), zero = g.scalar(0, g.dy().dtype());
      if (g.wants(0)) g.set_dx(0, g.call("Select", {mask, zero, g.dy()}));
      if (g.wants(2)) g.set_dx(2, g.call("Select", {mask, g.dy(), zero}));
    })
    .elementwise(Pick)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{
          ref::Map(in, [](const std::vector<double>& v) {
            return v[1] != 0 ? v[2] : v[0];
          })};
    })
    .samples({{.in = {{4}, {4}, Shape()}},
              {.in = {{2, 3}, {3}, Shape()}},
              {.in = {{2, 3}, {2, 1}, {2, 3}}},
              {.in = {{3}, {2, 1}, Shape()}},
              {.in = {{0, 3}, {3}, Shape()}},
              {.in = {{131}, {131}, Shape()}}})
    .rejects({{.in = {{2}, Array::Zeros(DType::kBool, {3}), Shape()},
               .message = "[MaskedFill] shapes do not broadcast: x is f32[2], "
                          "mask is bool[3], value is f32[]"}});

}  // namespace sluice
