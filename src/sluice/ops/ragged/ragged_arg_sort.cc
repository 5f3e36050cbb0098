#include <cmath>
#include <numeric>

#include "sluice/kernels/cpu/sort_key.h"
#include "sluice/ops/ragged/splits.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 1));
  SL_RETURN_IF_ERROR(EndOfRows(c, 1, FirstDim(c.in(0))).status());
  c.set_out(0, c.in(0));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  // Elements that change while they are compared would lead the sort astray.
  SL_ASSIGN_OR_RETURN(Array x, ctx.in(0).Clone());
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 1, x.dim(0)));
  const int64_t* splits = ctx.in(1).data<int64_t>();
  bool descending = ctx.attr<bool>("descending");
  DispatchReals(x.dtype(), [&]<class T>() {
    const T* from = x.data<T>();
    int64_t* to = y.mutable_data<int64_t>();
    // Places break ties, so that any sort is stable.
    auto before = [&](int64_t a, int64_t b) {
      auto ka = SortKey<T>::Of(from[a]), kb = SortKey<T>::Of(from[b]);
      return ka == kb ? a < b : descending ? ka > kb : ka < kb;
    };
    ForRows(
        ctx.step().pool, ctx.in(1).dim(0) - 1, x.num_elements(),
        [&](int64_t r) {
          std::iota(to + splits[r], to + splits[r + 1], splits[r]);
          std::sort(to + splits[r], to + splits[r + 1], before);
        },
        1 << 11);
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  bool descending = attrs.get<bool>("descending");
  Ints order(in[0].v.size());
  std::iota(order.begin(), order.end(), 0);
  auto less = [](double a, double b) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  };
  // Moves each element forward past those that come after it.
  for (size_t r = 0; r + 1 < in[1].v.size(); ++r) {
    auto first = order.begin() + At(in[1], r);
    for (auto i = first; i != order.begin() + At(in[1], r + 1); ++i) {
      for (auto k = i; k != first; --k) {
        double x = in[0].v[static_cast<size_t>(k[-1])];
        double y = in[0].v[static_cast<size_t>(k[0])];
        if (!(descending ? less(x, y) : less(y, x))) break;
        std::swap(k[-1], k[0]);
      }
    }
  }
  return {RefInts(order)};
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

SL_OP(RaggedArgSort)
    .doc(
        "Where among all values those of each row of a ragged array lie when "
        "the row is sorted: gathered by it, rows are in order. Equal elements "
        "keep their order, and NaN counts as larger than every number.")
    .input("x: T")
    .input("splits: i64")
    .output("y: i64")
    .types("T", kReals)
    .attr("descending", false, "Largest first.")
    .shape(Infer)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {{7}, Splits({0, 3, 3, 7})}},
              {.in = {{7}, Splits({0, 3, 7})}, .attrs = {{"descending", true}}},
              {.in = {Array::Vector<float>({1, kNan, -1, 0, -0.0f, kNan}),
                      Splits({0, 3, 6})}},
              {.in = {Array::Vector<float>({1, kNan, -1, 0, -0.0f, kNan}),
                      Splits({0, 3, 6})},
               .attrs = {{"descending", true}}},
              {.in = {{0}, Splits({0, 0})}},
              {.in = {{0}, Splits({0})}},
              {.in = {{9000}, ManySplits(1300, 9000)},
               .only = {DType::kF32, DType::kI8}}})
    .rejects(SplitsRejects("RaggedArgSort", {{3}, {}}, 1) +
             std::vector<Reject>{
                 {.in = {{5}, Splits({0, 2, 4})},
                  .message = "[RaggedArgSort] splits[2] is 4; wanted 5, the "},
                 {.in = {{5, 1}, Splits({0, 2, 4})},
                  .message = "[RaggedArgSort] x is f32[5,1]; wanted rank 1"}});

}  // namespace sluice
