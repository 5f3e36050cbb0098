#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/quantize.h"

namespace sluice {
namespace {

template <class Q>
struct Loop {
  // Differences go through double only for i32, whose numbers float cannot
  // hold.
  static SL_INLINE void Run(const Q* x, int64_t n, float scale, int32_t zero,
                            float* y) {
    using C = std::conditional_t<sizeof(Q) == 4, double, float>;
    const C s = scale, z = static_cast<C>(zero);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = static_cast<float>((static_cast<C>(x[i]) - z) * s);
    }
  }
};

template <class Q>
Status Run(KernelContext& ctx) {
  constexpr int64_t kLo = std::is_signed_v<Q> ? INT32_MIN : 0;
  SL_RETURN_IF_ERROR(quantize::CheckValues(
      ctx, sizeof(Q) == 4 ? kLo : (std::is_signed_v<Q> ? -128 : 0),
      sizeof(Q) == 4 ? INT32_MAX : (std::is_signed_v<Q> ? 127 : 255)));
  const Q* x = ctx.in(0).data<Q>();
  float* y = ctx.out(0).mutable_data<float>();
  quantize::ForEachStretch(
      ctx, [&](int64_t begin, int64_t n, float scale, int32_t zero) {
        isa::Call<Loop<Q>>(x + begin, n, scale, zero, y + begin);
      });
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  switch (ctx.in(0).dtype()) {
    case DType::kU8:
      return Run<uint8_t>(ctx);
    case DType::kI32:
      return Run<int32_t>(ctx);
    default:
      return Run<int8_t>(ctx);
  }
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t axis = attrs.get<int64_t>("axis");
  return {ref::Build(in[0].shape, [&](const Ints& index) {
    size_t entry = quantize::Entry(in[1], index, axis);
    return (ref::At(in[0], index) - in[2].v[entry]) * in[1].v[entry];
  })};
}

std::vector<Sample> Samples() {
  Array scales = Array::Vector<float>({0.5f, 0.25f, 3});
  Array zeros = Array::Vector<int32_t>({0, 5, 100});
  Array scale = Array::Scalar<float>(0.1f), zero = Array::Scalar<int32_t>(3);
  return {
      {.in = {{70}, scale, zero}, .lo = -128, .hi = 127},
      {.in = {{2, 3, 4}, scales, zeros},
       .attrs = {{"axis", 1}},
       .lo = -128,
       .hi = 127},
      {.in = {{3, 2000}, scales, zeros},
       .attrs = {{"axis", -2}},
       .lo = -128,
       .hi = 127},
      {.in = {{4, 3}, scales, zeros}, .lo = -100, .hi = 100},
      {.in = {Array::Vector<int32_t>({2000000001, -2000000001}), scale, zero}},
      {.in = {{100000}, scale, zero}, .only = {DType::kI8}},
      {.in = {{0, 3}, scales, zeros}},
      {.in = {Shape(), scale, zero}}};
}

// Only for scale; the other inputs are integers.
void Gradient(GradContext& g) {
  GradVar x = g.in(0), scale = g.in(1);
  if (!g.wants(1)) return;
  GradVar steps =
      g.call("Dequantize", {x, g.ones_like(scale), g.in(2)}, g.attrs());
  int rank = x.rank();
  if (rank < 0 || scale.rank() < 0) {
    return g.fail("the gradient needs to know how many axes x and scale have");
  }
  std::vector<int64_t> axes;
  int64_t axis = g.attr<int64_t>("axis");
  for (int i = 0; i < rank; ++i) {
    if (scale.rank() == 0 || i != (axis < 0 ? axis + rank : axis)) {
      axes.push_back(i);
    }
  }
  GradVar product = g.dy() * steps;
  g.set_dx(1,
           axes.empty() ? product : g.call("Sum", {product}, {{"axes", axes}}));
}

}  // namespace

SL_OP(Dequantize)
    .doc(
        "(x - zero_point) * scale: what Quantize undoes, for sums of products "
        "(i32) as well. scale and zero_point are scalars, or vectors with an "
        "entry for each index of an axis.")
    .input("x: T")
    .input("scale: f32")
    .input("zero_point: i32")
    .output("y: f32")
    .types("T", {DType::kI8, DType::kU8, DType::kI32})
    .attr("axis", -1, "The axis of x that scale and zero_point follow.")
    .shape(quantize::Infer)
    .grad(Gradient)
    .cpu(Launch)
    .fuse_output()
    .max_ulp(1)
    .reference(Reference)
    .samples(Samples())
    .rejects(
        {{.in = {Array::Zeros(DType::kI8, {2}), Array::Scalar<float>(-1),
                 Array::Scalar<int32_t>(0)},
          .message = "[Dequantize] scale 0 is -1; wanted a finite number above "
                     "0"},
         {.in = {Array::Zeros(DType::kI8, {2}), Array::Scalar<float>(1),
                 Array::Scalar<int32_t>(200)},
          .message = "[Dequantize] zero_point 0 is 200; wanted -128 to 127"},
         {.in = {Array::Zeros(DType::kU8, {3}), Array::Vector<float>({1, 1}),
                 Array::Vector<int32_t>({0, 0})},
          .message = "[Dequantize] scale is f32[2], x is u8[3]; wanted an "
                     "entry for each index of axis 0"},
         {.in = {Array::Zeros(DType::kI8, {2}), Array::Vector<float>({1, 1}),
                 Array::Scalar<int32_t>(0)},
          .message = "[Dequantize] scale is f32[2], zero_point is i32[]; "
                     "wanted equal shapes"}});

}  // namespace sluice
