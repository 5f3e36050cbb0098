#include "sluice/ops/math/quantize.h"

#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/reference.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  DType dtype = c.attr<DType>("dtype");
  if (dtype != DType::kI8 && dtype != DType::kU8) {
    return c.Error(StrCat("dtype is ", DTypeName(dtype), "; wanted i8 or u8"));
  }
  return quantize::Infer(c);
}

template <class T, class Q>
struct Loop {
  static SL_INLINE void Run(const T* x, int64_t n, float scale, int32_t zero,
                            Q* y) {
    constexpr float kLo = std::is_signed_v<Q> ? -128 : 0;
    constexpr float kHi = std::is_signed_v<Q> ? 127 : 255;
    const auto z = static_cast<float>(zero);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      float v = static_cast<float>(x[i]) / scale;
      v = v == v ? v : 0.0f;  // NaN becomes the zero point
      v = v < kLo - z ? kLo - z : v;
      v = v > kHi - z ? kHi - z : v;
      // Adding and taking away 1.5 * 2^23 rounds to even: |v| < 2^22 here.
      v = (v + 0x1.8p23f) - 0x1.8p23f;
      y[i] = static_cast<Q>(static_cast<int32_t>(v + z));
    }
  }
};

template <class T, class Q>
Status Run(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(quantize::CheckValues(ctx, std::is_signed_v<Q> ? -128 : 0,
                                           std::is_signed_v<Q> ? 127 : 255));
  Q* y = ctx.out(0).mutable_data<Q>();
  quantize::ForEachStretch(
      ctx, [&](int64_t begin, int64_t n, float scale, int32_t zero) {
        constexpr int64_t kPiece = 1024;
        for (int64_t i = begin; i < begin + n; i += kPiece) {
          T scratch[kPiece];
          int64_t count = std::min(kPiece, begin + n - i);
          isa::Call<Loop<T, Q>>(ctx.Load<T>(i, count, scratch), count, scale,
                                zero, y + i);
        }
      });
  return OkStatus();
}

template <class T>
Status RunFor(KernelContext& ctx) {
  return ctx.out(0).dtype() == DType::kI8 ? Run<T, int8_t>(ctx)
                                          : Run<T, uint8_t>(ctx);
}

Status Launch(KernelContext& ctx) {
  switch (ctx.in(0).dtype()) {
    case DType::kF16:
      return RunFor<f16>(ctx);
    case DType::kBF16:
      return RunFor<bf16>(ctx);
    default:
      return RunFor<float>(ctx);
  }
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  bool is_signed = attrs.get<DType>("dtype") == DType::kI8;
  int64_t axis = attrs.get<int64_t>("axis");
  return {ref::Build(in[0].shape, [&](const Ints& index) {
    size_t entry = quantize::Entry(in[1], index, axis);
    // The division is defined in float.
    double v = static_cast<float>(ref::At(in[0], index)) /
               static_cast<float>(in[1].v[entry]);
    if (std::isnan(v)) v = 0;
    v = std::nearbyint(v) + in[2].v[entry];
    return std::clamp(v, is_signed ? -128.0 : 0.0, is_signed ? 127.0 : 255.0);
  })};
}

std::vector<Sample> Samples() {
  auto one = [](float scale, int32_t zero) {
    return std::vector<SampleInput>{
        {70}, Array::Scalar<float>(scale), Array::Scalar<int32_t>(zero)};
  };
  Array scales = Array::Vector<float>({0.5f, 0.25f, 3});
  Array zeros = Array::Vector<int32_t>({0, 5, 100});
  Attrs u8{{"dtype", DType::kU8}};
  const float inf = INFINITY;
  return {
      {.in = one(0.5f, 0)},
      {.in = one(0.01f, 3)},
      {.in = one(0.01f, 128), .attrs = u8},
      {.in = {Array::Vector<float>({0.25f, 0.75f, 1.25f, -0.25f, -0.75f, NAN,
                                    inf, -inf, 1e30f, -1e30f, 0, 63.75f}),
              Array::Scalar<float>(0.5f), Array::Scalar<int32_t>(-7)}},
      {.in = {{2, 3, 4}, scales, zeros}, .attrs = {{"axis", 1}}},
      {.in = {{4, 3}, scales, zeros}, .attrs = {{"dtype", DType::kU8}}},
      {.in = {{3, 2000}, scales, zeros}, .attrs = {{"axis", -2}}},
      {.in = {{100000}, Array::Scalar<float>(0.1f), Array::Scalar<int32_t>(1)},
       .only = {DType::kF32}},
      {.in = {{0, 3}, scales, zeros}},
      {.in = {Shape(), Array::Scalar<float>(1), Array::Scalar<int32_t>(0)}}};
}

}  // namespace

SL_OP(Quantize)
    .doc(
        "x / scale rounded half to even, plus zero_point, cut to the range of "
        "an int8 type. scale and zero_point are scalars, or vectors with an "
        "entry for each index of an axis. NaN becomes the zero point.")
    .input("x: T")
    .input("scale: f32")
    .input("zero_point: i32")
    .output("y: dtype")
    .types("T", {DType::kF32, DType::kF16, DType::kBF16})
    .attr("dtype", DType::kI8, "i8 or u8.")
    .attr("axis", -1, "The axis of x that scale and zero_point follow.")
    .shape(Infer)
    .no_grad("it rounds")
    .cpu(Launch)
    .fuse_input()
    .fuse_output()
    .reference(Reference)
    .samples(Samples())
    .rejects(
        {{.in = {{2}, Array::Scalar<float>(0), Array::Scalar<int32_t>(0)},
          .message = "[Quantize] scale 0 is 0; wanted a finite number above 0"},
         {.in = {{2}, Array::Scalar<float>(NAN), Array::Scalar<int32_t>(0)},
          .message = "[Quantize] scale 0 is nan; wanted a finite number"},
         {.in = {{2}, Array::Scalar<float>(1), Array::Scalar<int32_t>(128)},
          .message = "[Quantize] zero_point 0 is 128; wanted -128 to 127"},
         {.in = {{2}, Array::Scalar<float>(1), Array::Scalar<int32_t>(-1)},
          .attrs = {{"dtype", DType::kU8}},
          .message = "[Quantize] zero_point 0 is -1; wanted 0 to 255"},
         {.in = {{2}, Array::Scalar<float>(1), Array::Scalar<int32_t>(0)},
          .attrs = {{"dtype", DType::kI32}},
          .message = "[Quantize] dtype is i32; wanted i8 or u8"},
         {.in = {{2}, Array::Vector<float>({1, 1}), Array::Scalar<int32_t>(0)},
          .message = "[Quantize] scale is f32[2], zero_point is i32[]; wanted "
                     "equal shapes"},
         {.in = {{3},
                 Array::Vector<float>({1, 1}),
                 Array::Vector<int32_t>({0, 0})},
          .message = "[Quantize] scale is f32[2], x is f32[3]; wanted an entry "
                     "for each index of axis 0"},
         {.in = {{2},
                 Array::Zeros(DType::kF32, {1, 1}),
                 Array::Zeros(DType::kI32, {1, 1})},
          .message = "[Quantize] scale is f32[1,1]; wanted a scalar or a "
                     "vector"},
         {.in = {{2},
                 Array::Vector<float>({1, 1}),
                 Array::Vector<int32_t>({0, 0})},
          .attrs = {{"axis", 1}},
          .message = "[Quantize] axis 1 is out of range"}});

}  // namespace sluice
