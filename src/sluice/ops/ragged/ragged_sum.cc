#include "sluice/kernels/cpu/lanes.h"
#include "sluice/ops/array/array_grad.h"
#include "sluice/ops/ragged/splits.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  SL_RETURN_IF_ERROR(EndOfRows(c, 1, FirstDim(c.in(0))).status());
  SL_ASSIGN_OR_RETURN(PartialShape out,
                      WithFirst(c, {RowsOf(c.in(1))}, c.in(0)));
  c.set_out(0, out);
  return OkStatus();
}

constexpr int64_t kStrip = 64;  // columns summed side by side

template <class T>
constexpr bool kIsFloat =
    !std::is_integral_v<T> && !std::is_same_v<T, complex64>;

// n floats in a row.
template <class T>
struct SumLoop {
  static SL_INLINE Compute<T> Run(const T* x, int64_t n) {
    using L = Lanes<Compute<T>>;
    L sum = L::Of(0);
    int64_t i = 0;
    for (; i + L::kCount <= n; i += L::kCount) sum = sum + L::Load(x + i);
    if (i < n) sum = sum + L::LoadSome(x + i, n - i, Compute<T>(0));
    return sum.Sum();
  }
};

// Adds one row of `columns` to as many sums.
template <class T, class C>
struct AddLoop {
  static SL_INLINE void Run(const T* x, int64_t columns, C* sum) {
    SL_VECTORIZE
    for (int64_t k = 0; k < columns; ++k) {
      if constexpr (std::is_integral_v<C>) {
        sum[k] = Wrap<C>(ToWrap(sum[k]) + ToWrap(static_cast<C>(x[k])));
      } else {
        sum[k] += static_cast<C>(x[k]);
      }
    }
  }
};

// The sum, or mean, of n slices of `inner` elements.
template <class T>
void SumRow(const T* x, int64_t n, int64_t inner, bool mean, T* y) {
  using C = Compute<T>;
  auto write = [&](C sum, T* to) {
    if constexpr (kIsFloat<T>) {
      if (mean && n > 0) sum /= static_cast<C>(n);
    }
    *to = static_cast<T>(sum);
  };
  if constexpr (kIsFloat<T>) {
    if (inner == 1) return write(isa::Call<SumLoop<T>>(x, n), y);
  }
  for (int64_t first = 0; first < inner; first += kStrip) {
    int64_t columns = std::min(kStrip, inner - first);
    C sum[kStrip] = {};
    for (int64_t i = 0; i < n; ++i) {
      isa::Call<AddLoop<T, C>>(x + i * inner + first, columns, sum);
    }
    for (int64_t k = 0; k < columns; ++k) write(sum[k], y + first + k);
  }
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 1, x.dim(0)));
  if (y.num_elements() == 0) return OkStatus();
  bool mean = ctx.attr<bool>("mean");
  if (mean && !kFloats.contains(x.dtype())) {
    return ctx.Error(
        StrCat("x is ", x.TypeText(), "; wanted floats for means"));
  }
  const int64_t* splits = ctx.in(1).data<int64_t>();
  int64_t inner = InnerOf(x.shape());
  auto run = [&]<class T>() {
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    ForRows(ctx.step().pool, y.dim(0), x.num_elements(), [&](int64_t r) {
      SumRow(from + splits[r] * inner, splits[r + 1] - splits[r], inner, mean,
             to + r * inner);
    });
  };
  if (!DispatchReals(x.dtype(), run)) run.template operator()<complex64>();
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  Ints dims = ref::DimsOf(in[0].shape);
  dims[0] = in[1].shape.dim(0) - 1;
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    auto r = static_cast<size_t>(index[0]);
    double sum = 0, n = static_cast<double>(At(in[1], r + 1) - At(in[1], r));
    for (index[0] = At(in[1], r); index[0] < At(in[1], r + 1); ++index[0]) {
      sum += ref::At(in[0], index);
    }
    return attrs.get<bool>("mean") && n > 0 ? sum / n : sum;
  })};
}

void Rule(GradContext& g) {
  GradVar dy = g.dy(), splits = g.in(1);
  if (g.attr<bool>("mean")) {
    int rank = dy.rank();
    if (rank < 0) return g.fail("the gradient needs to know dy's rank");
    // Halves do not count far.
    DType wide = dy.dtype() == DType::kF64 ? DType::kF64 : DType::kF32;
    GradVar ids = g.call("RaggedRowIds", {splits}), one = g.scalar(1, wide);
    GradVar counts = g.call("RaggedSum", {FilledAs(g, ids, 1, wide), splits});
    GradVar parts = g.cast(one / g.call("Maximum", {counts, one}), dy.dtype());
    std::vector<int64_t> column(static_cast<size_t>(rank), 1);
    column[0] = -1;
    dy = dy * g.call("Reshape", {parts, g.ints(column)});
  }
  g.set_dx(0, g.call("RaggedExpand", {dy, splits}));
}

constexpr DTypeSet kSomeFloats{DType::kF32, DType::kF16};

}  // namespace

SL_OP(RaggedSum)
    .doc(
        "Sums, or means, along each row of a ragged array; 0 for rows without "
        "values. Integers wrap, halves are summed in float.")
    .input("x: T")
    .input("splits: i64")
    .output("y: T")
    .types("T", kNumbers)
    .attr("mean", false, "Divide by the length of the row; for floats.")
    .shape(Infer)
    .grad(Rule)
    .cpu(Launch)
    .tolerance(1e-5)
    .reference(Reference)
    .samples({{.in = {{6}, Splits({0, 2, 2, 6})}},
              {.in = {{5, 3}, Splits({0, 3, 3, 5})}},
              {.in = {{0, 3}, Splits({0, 0})}},
              {.in = {{0}, Splits({0})}},
              {.in = {{3, 0}, Splits({0, 1, 3})}},
              {.in = {{6}, Splits({0, 2, 2, 6})},
               .attrs = {{"mean", true}},
               .only = kFloats},
              {.in = {{5, 3}, Splits({0, 0, 3, 5})},
               .attrs = {{"mean", true}},
               .only = kFloats},
              {.in = {{5000}, ManySplits(700, 5000)}, .only = kSomeFloats},
              {.in = {{60, 130}, ManySplits(9, 60)}, .only = kSomeFloats}})
    .rejects(SplitsRejects("RaggedSum", {{3}, {}}, 1) +
             std::vector<Reject>{
                 {.in = {{5}, Splits({0, 2, 4})},
                  .message = "[RaggedSum] splits[2] is 4; wanted 5, the number "
                             "of values"},
                 {.in = {{5}, Splits({0, 5})},
                  .attrs = {{"mean", true}},
                  .message = "[RaggedSum] x is i32[5]; wanted floats for means",
                  .dtype = DType::kI32},
                 {.in = {Shape(), Splits({0})},
                  .message = "[RaggedSum] x is f32[]; wanted rank 1 or more"}});

}  // namespace sluice
