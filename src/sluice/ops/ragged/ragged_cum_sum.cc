#include "sluice/kernels/cpu/scan.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/ragged/splits.h"

namespace sluice {
namespace {

using namespace ragged;

struct AddUp {
  static constexpr bool kAssociative = true, kWraps = true;
  template <class C>
  static C Start() {
    return 0;
  }
  template <class C>
  static C Apply(C a, C x) {
    if constexpr (std::is_integral_v<C>) {
      return Wrap<C>(ToWrap(a) + ToWrap(x));
    } else {
      return a + x;
    }
  }
};

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  SL_RETURN_IF_ERROR(EndOfRows(c, 1, FirstDim(c.in(0))).status());
  c.set_out(0, c.in(0));
  return OkStatus();
}

template <class T>
void ScanRow(const T* x, T* y, int64_t n, int64_t inner, scan::Order order) {
  using B = scan::Before<AddUp, T>;
  if (inner == 1) return scan::Row<AddUp, T>(x, y, n, B(0), order);
  auto run =
      isa::Pick<scan::ColumnsLoop<AddUp, T>, const T*, T*, int64_t, B*, bool>();
  for (int64_t first = 0; first < inner; first += scan::kStrip) {
    int64_t columns = std::min(scan::kStrip, inner - first);
    B all[scan::kStrip] = {};
    for (int64_t i = 0; i < n; ++i) {
      int64_t at = (order.reverse ? n - 1 - i : i) * inner + first;
      run(x + at, y + at, columns, all, order.exclusive);
    }
  }
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 1, x.dim(0)));
  if (x.num_elements() == 0) return OkStatus();
  const int64_t* splits = ctx.in(1).data<int64_t>();
  int64_t inner = InnerOf(x.shape());
  scan::Order order{ctx.attr<bool>("exclusive"), ctx.attr<bool>("reverse")};
  DispatchReals(x.dtype(), [&]<class T>() {
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    ForRows(ctx.step().pool, ctx.in(1).dim(0) - 1, x.num_elements(),
            [&](int64_t r) {
              int64_t at = splits[r] * inner;
              ScanRow(from + at, to + at, splits[r + 1] - splits[r], inner,
                      order);
            });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  bool exclusive = attrs.get<bool>("exclusive");
  bool reverse = attrs.get<bool>("reverse");
  Ints ids = RowIds(in[1]);
  return {ref::Build(in[0].shape, [&](const Ints& index) {
    auto r = static_cast<size_t>(ids[static_cast<size_t>(index[0])]);
    double sum = 0;
    Ints at = index;
    for (at[0] = At(in[1], r); at[0] < At(in[1], r + 1); ++at[0]) {
      bool before = reverse ? at[0] > index[0] : at[0] < index[0];
      if (before || (at[0] == index[0] && !exclusive)) {
        sum += ref::At(in[0], at);
      }
    }
    return sum;
  })};
}

Attrs How(bool exclusive, bool reverse) {
  return {{"exclusive", exclusive}, {"reverse", reverse}};
}

}  // namespace

SL_OP(RaggedCumSum)
    .doc(
        "Running sums along each row of a ragged array, which begin anew with "
        "every row; integers wrap.")
    .input("x: T")
    .input("splits: i64")
    .output("y: T")
    .types("T", kReals)
    .attr("exclusive", false, "Leave out the element itself.")
    .attr("reverse", false, "Start from the end of each row.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(
          0, g.call("RaggedCumSum", {g.dy(), g.in(1)},
                    How(g.attr<bool>("exclusive"), !g.attr<bool>("reverse"))));
    })
    .cpu(Launch)
    .in_place()
    .tolerance(1e-5)
    .reference(Reference)
    .samples({{.in = {{6}, Splits({0, 2, 2, 6})}},
              {.in = {{6}, Splits({0, 3, 6})}, .attrs = How(true, false)},
              {.in = {{6}, Splits({0, 3, 6})}, .attrs = How(false, true)},
              {.in = {{6}, Splits({0, 3, 6})}, .attrs = How(true, true)},
              {.in = {{5, 3}, Splits({0, 3, 3, 5})}},
              {.in = {{5, 3}, Splits({0, 3, 5})}, .attrs = How(true, true)},
              {.in = {{0, 3}, Splits({0, 0})}},
              {.in = {{0}, Splits({0})}},
              {.in = {{3, 0}, Splits({0, 1, 3})}},
              {.in = {{6000}, ManySplits(1100, 6000)}, .only = {DType::kF32}},
              {.in = {{60, 300}, ManySplits(9, 60)},
               .only = {DType::kF32, DType::kF16}}})
    .rejects(SplitsRejects("RaggedCumSum", {{3}, {}}, 1) +
             std::vector<Reject>{
                 {.in = {{5}, Splits({0, 2, 4})},
                  .message = "[RaggedCumSum] splits[2] is 4; wanted 5, the "
                             "number of values"},
                 {.in = {Shape(), Splits({0})},
                  .message = "[RaggedCumSum] x is f32[]; wanted rank 1 or"}});

}  // namespace sluice
