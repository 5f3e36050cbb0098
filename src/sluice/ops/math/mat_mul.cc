#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/gemm.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(1, 2));
  bool ta = c.attr<bool>("transpose_a"), tb = c.attr<bool>("transpose_b");
  int64_t m = kUnknownDim, n = kUnknownDim, ka = kUnknownDim, kb = kUnknownDim;
  if (c.in(0).rank_known()) m = c.in(0)[ta], ka = c.in(0)[!ta];
  if (c.in(1).rank_known()) n = c.in(1)[!tb], kb = c.in(1)[tb];
  if (ka >= 0 && kb >= 0 && ka != kb) {
    return c.Error(StrCat("inner sizes differ: ", c.Describe(0), ", ",
                          c.Describe(1), "; wanted a.dim(", ta ? 0 : 1,
                          ") == b.dim(", tb ? 1 : 0, ")"));
  }
  const int64_t dims[] = {m, n};
  SL_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(dims));
  c.set_out(0, out);
  return OkStatus();
}

struct Sizes {
  GemmSize size;
  bool ta, tb;
};
Sizes SizesOf(const Shape& a, const Shape& b, const Attrs& attrs) {
  bool ta = attrs.get<bool>("transpose_a"), tb = attrs.get<bool>("transpose_b");
  return {{a.dim(ta), b.dim(!tb), a.dim(!ta)}, ta, tb};
}

bool IsHalf(DType t) { return t == DType::kF16 || t == DType::kBF16; }

// The packed B, and for halves the product in float.
int64_t Workspace(const ShapeContext& c) {
  Sizes s = SizesOf(c.in(0).ToShape(), c.in(1).ToShape(), c.attrs());
  bool wide = DTypeSize(c.in_dtype(0)) == 8;
  int64_t packed = wide ? GemmPackedElements<double>(s.size, s.tb) * 8
                        : GemmPackedElements<float>(s.size, s.tb) * 4;
  int64_t product = IsHalf(c.in_dtype(0)) ? s.size.m * s.size.n * 4 : 0;
  return AlignUp(packed, 64) + product;
}

template <class T, class C>
void Run(KernelContext& ctx) {
  const Array &a = ctx.in(0), &b = ctx.in(1), &out = ctx.out(0);
  Sizes s = SizesOf(a.shape(), b.shape(), ctx.attrs());
  C* packed = static_cast<C*>(ctx.workspace());
  GemmOperand<T> left{a.data<T>(), a.dim(1), s.ta};
  GemmOperand<T> right{b.data<T>(), b.dim(1), s.tb};
  if constexpr (sizeof(T) == sizeof(C)) {
    Gemm<T, C>(s.size, left, right, static_cast<C*>(out.mutable_raw()), packed,
               ctx.step().pool);
  } else {
    int64_t bytes = GemmPackedElements<C>(s.size, s.tb) * 4;
    C* product = reinterpret_cast<C*>(static_cast<char*>(ctx.workspace()) +
                                      AlignUp(bytes, 64));
    Gemm<T, C>(s.size, left, right, product, packed, ctx.step().pool);
    T* y = out.mutable_data<T>();
    for (int64_t i = 0; i < s.size.m * s.size.n; ++i) y[i] = T(product[i]);
  }
}

Status Launch(KernelContext& ctx) {
  switch (ctx.in(0).dtype()) {
    case DType::kF32:
      Run<float, float>(ctx);
      break;
    case DType::kF64:
      Run<double, double>(ctx);
      break;
    case DType::kF16:
      Run<f16, float>(ctx);
      break;
    case DType::kBF16:
      Run<bf16, float>(ctx);
      break;
    case DType::kI32:
      Run<int32_t, uint32_t>(ctx);
      break;
    case DType::kI64:
      Run<int64_t, uint64_t>(ctx);
      break;
    default:
      return ctx.Error("no kernel for this type");
  }
  return OkStatus();
}

double Cost(const ShapeContext& c) {
  if (!c.in(0).fully_known() || !c.in(1).fully_known()) return 1e6;
  Sizes s = SizesOf(c.in(0).ToShape(), c.in(1).ToShape(), c.attrs());
  return 2.0 * static_cast<double>(s.size.m) * static_cast<double>(s.size.n) *
         static_cast<double>(s.size.k);
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  Sizes s = SizesOf(in[0].shape, in[1].shape, attrs);
  return {ref::Build(ref::MakeShape({s.size.m, s.size.n}), [&](const Ints& at) {
    double sum = 0;
    for (int64_t k = 0; k < s.size.k; ++k) {
      Ints a = {at[0], k}, b = {k, at[1]};
      if (s.ta) std::swap(a[0], a[1]);
      if (s.tb) std::swap(b[0], b[1]);
      sum += ref::At(in[0], a) * ref::At(in[1], b);
    }
    return sum;
  })};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  const GemmSize sizes[] = {{2, 4, 3},   {1, 1, 1},    {1, 7, 5},  {7, 1, 5},
                            {0, 3, 2},   {2, 0, 3},    {2, 3, 0},  {5, 20, 9},
                            {13, 17, 8}, {6, 16, 300}, {50, 33, 7}};
  for (const GemmSize& s : sizes) {
    bool large = s.m * s.n * s.k > 1000;
    for (int t = 0; t < 4; t += large ? 3 : 1) {
      bool ta = t & 1, tb = t & 2;
      samples.push_back({.in = {ta ? Shape{s.k, s.m} : Shape{s.m, s.k},
                                tb ? Shape{s.n, s.k} : Shape{s.k, s.n}},
                         .attrs = {{"transpose_a", ta}, {"transpose_b", tb}}});
      if (large) samples.back().only = {DType::kF32, DType::kBF16};
    }
  }
  return samples;
}

}  // namespace

SL_OP(MatMul)
    .doc(
        "The matrix product of a and b, either one transposed on request. "
        "Halves are summed in float; integers wrap.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kFloats | kIndices)
    .attr("transpose_a", false, "Take a's transpose.")
    .attr("transpose_b", false, "Take b's transpose.")
    .shape(Infer)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .cost(Cost)
    .tolerance(2e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {{2, 3}, {4, 5}},
               .message = "[MatMul] inner sizes differ: a is f32[2,3], b is "
                          "f32[4,5]; wanted a.dim(1) == b.dim(0)"},
              {.in = {{2, 3}, {2, 3}},
               .attrs = {{"transpose_a", true}, {"transpose_b", true}},
               .message = "[MatMul] inner sizes differ: a is f32[2,3], b is "
                          "f32[2,3]; wanted a.dim(0) == b.dim(1)"},
              {.in = {{3}, {3, 2}},
               .message = "[MatMul] a is f32[3]; wanted rank 2"},
              {.in = {{2, 3}, {3, 2, 1}},
               .message = "[MatMul] b is f32[3,2,1]; wanted rank 2"},
              {.in = {{2, 2}, {2, 2}},
               .message = "[MatMul] a is i8; wanted one of ",
               .dtype = DType::kI8}});

}  // namespace sluice
