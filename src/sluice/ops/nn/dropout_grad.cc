#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  double rate = c.attr<double>("rate");
  if (!(rate >= 0 && rate <= 1)) {
    return c.Error(StrCat("rate is ", rate, "; wanted 0 <= rate <= 1"));
  }
  return shapes::broadcast(c);
}

template <class T>
struct Loop {
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams& params) {
    using C = Compute<T>;
    const T* dy = static_cast<const T*>(in[0]);
    const uint8_t* mask = static_cast<const uint8_t*>(in[1]);
    T* dx = static_cast<T*>(out);
    C scale = static_cast<C>(params.p[0]);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      C v = static_cast<C>(dy[i]) * scale;
      dx[i] = static_cast<T>(mask[i] ? v : C(0));
    }
  }
};

BlockKernel Pick(const Attrs& attrs, std::span<const DType> in, DType) {
  BlockKernel kernel;
  kernel.formula = "formula::KeepScaled";
  DispatchFloats(in[0], [&]<class T>() { kernel.fn = PickLevel<Loop<T>>(); });
  double rate = attrs.get<double>("rate");
  kernel.params.p[0] = rate < 1 ? 1 / (1 - rate) : 0;
  return kernel;
}

}  // namespace

SL_OP(DropoutGrad)
    .doc(
        "The gradient of dropout from the mask it gave: dy / (1 - rate) where "
        "an element was kept, else 0.")
    .input("dy: T")
    .input("mask: bool")
    .output("dx: T")
    .types("T", kFloats)
    .attr("rate", 0.5, "The share of elements that were dropped.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("DropoutGrad", {g.dy(), g.in(1)}, g.attrs()));
    })
    .elementwise(Pick)
    .internal()
    .max_ulp(1)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      double rate = attrs.get<double>("rate");
      return std::vector<RefArray>{
          ref::Map(in, [=](const std::vector<double>& v) {
            return v[1] != 0 && rate < 1 ? v[0] / (1 - rate) : 0;
          })};
    })
    .samples({{.in = {{4}, {4}}},
              {.in = {{3, 5}, {3, 5}}, .attrs = {{"rate", 0.1}}},
              {.in = {{67}, {67}}, .attrs = {{"rate", 0.0}}},
              {.in = {{1031}, {1031}}, .only = {DType::kF32}},
              {.in = {{5}, {5}}, .attrs = {{"rate", 1.0}}},
              {.in = {{0, 2}, {0, 2}}}})
    .rejects({{.in = {{2}, Array::Zeros(DType::kBool, {3})},
               .message = "[DropoutGrad] shapes do not broadcast: dy is "
                          "f32[2], mask is bool[3]"},
              {.in = {{2}, Array::Zeros(DType::kBool, {2})},
               .attrs = {{"rate", 2.0}},
               .message = "[DropoutGrad] rate is 2; wanted 0 <= rate <= 1"}});

}  // namespace sluice
