#include <algorithm>
#include <limits>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  if (c.num_inputs() > 2) {
    return c.Error(
        StrCat("weights has ", c.num_inputs() - 1, " inputs; wanted 0 or 1"));
  }
  if (c.num_inputs() == 2 && !MergeShapes(c.in(0), c.in(1)).ok()) {
    return c.Error(
        StrCat(c.Describe(0), ", ", c.Describe(1), "; wanted equal shapes"));
  }
  c.set_out(0, PartialShape::OfRank(1));
  return OkStatus();
}

// Floats are summed in double, in chunks whose borders and order are fixed.
template <class W>
using Acc = std::conditional_t<std::is_integral_v<W>, uint64_t, double>;

constexpr int64_t kChunk = 1 << 16;
constexpr int64_t kTableBins = 1 << 12;  // tables for chunks up to here
constexpr int64_t kTables = 8;           // chunks in progress at once

// Counts x[begin, end) into `bins`, which hold sums so far.
template <class I, class W, class A>
void Count(const I* x, const W* weights, int64_t begin, int64_t end, A* bins) {
  for (int64_t i = begin; i < end; ++i) {
    bins[x[i]] += weights ? static_cast<A>(weights[i]) : A{1};
  }
}

template <class W>
struct Sums {
  Array bins;  // tables one after the other
  Acc<W>* at(int64_t table, int64_t length) const {
    return static_cast<Acc<W>*>(bins.mutable_raw()) + table * length;
  }
};

template <class I, class W>
Status CountAll(KernelContext& ctx, int64_t length) {
  const Array& x = ctx.in(0);
  const I* index = x.data<I>();
  const W* weights = ctx.num_inputs() == 2 ? ctx.in(1).data<W>() : nullptr;
  int64_t n = x.num_elements();
  int64_t tables = length <= kTableBins && n > kChunk
                       ? std::min(kTables, n / kChunk + 1)
                       : 1;
  SL_ASSIGN_OR_RETURN(Shape shape,
                      Shape::Make(std::array{tables * length * 8}));
  Sums<W> sums;
  SL_ASSIGN_OR_RETURN(sums.bins, Array::Make(DType::kU8, shape));
  std::fill_n(sums.at(0, length), tables * length, Acc<W>{0});
  // Chunk c goes to table c % tables.
  int64_t chunk = tables == 1 ? n : kChunk;
  ParallelFor(ctx.step().pool, tables, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      for (int64_t i = t * chunk; i < n; i += tables * chunk) {
        Count(index, weights, i, std::min(n, i + chunk), sums.at(t, length));
      }
    }
  });
  W* y = ctx.out(0).mutable_data<W>();
  for (int64_t b = 0; b < length; ++b) {
    Acc<W> sum = 0;
    for (int64_t t = 0; t < tables; ++t) sum += sums.at(t, length)[b];
    y[b] = static_cast<W>(sum);
  }
  return OkStatus();
}

template <class I>
Status Bins(KernelContext& ctx, int64_t* length) {
  const Array& x = ctx.in(0);
  const I* index = x.data<I>();
  int64_t limit = ctx.attr<int64_t>("limit");
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 0, limit));
  I largest = -1;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    largest = std::max(largest, index[i]);
  }
  *length = std::max(ctx.attr<int64_t>("minlength"), int64_t{largest} + 1);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CheckShapes(ctx));
  DType dtype =
      ctx.num_inputs() == 2 ? ctx.in(1).dtype() : ctx.attr<DType>("dtype");
  Status status;
  DispatchIndex(ctx.in(0).dtype(), [&]<class I>() {
    int64_t length = 0;
    status = Bins<I>(ctx, &length);
    if (!status.ok()) return;
    status = ctx.AllocateOut(0, dtype, Shape({length}));
    if (!status.ok() || length == 0) return;
    switch (dtype) {
      case DType::kF32:
        status = CountAll<I, float>(ctx, length);
        break;
      case DType::kF64:
        status = CountAll<I, double>(ctx, length);
        break;
      case DType::kI32:
        status = CountAll<I, int32_t>(ctx, length);
        break;
      default:
        status = CountAll<I, int64_t>(ctx, length);
    }
  });
  return status;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  RefArray y;
  y.v.assign(static_cast<size_t>(attrs.get<int64_t>("minlength")), 0);
  for (size_t i = 0; i < in[0].v.size(); ++i) {
    auto bin = static_cast<size_t>(in[0].v[i]);
    if (bin >= y.v.size()) y.v.resize(bin + 1, 0);
    y.v[bin] += in.size() > 1 ? in[1].v[i] : 1;
  }
  y.shape = ref::MakeShape({static_cast<int64_t>(y.v.size())});
  return {y};
}

Array I64(std::initializer_list<int64_t> v) {
  return Array::Vector<int64_t>(v);
}

}  // namespace

SL_OP(BinCount)
    .doc(
        "How often each number from 0 up is in x, or the sums of the weights "
        "of its elements: a vector as long as the largest number asks for.")
    .input("x: I")
    .input("weights: dtype*")
    .output("y: dtype")
    .types("I", kIndices)
    .types("dtype", {DType::kF32, DType::kF64, DType::kI32, DType::kI64})
    .attr("minlength", 0, "The vector is at least this long.")
    .between(0, kMaxElements / 64)
    .attr("limit", 1 << 27,
          "Numbers from here on are refused: one stray number would ask for "
          "that much memory.")
    .between(0, kMaxElements / 64)
    .attr("dtype", DType::kI64, "The type of counts; sums are of the weights'.")
    .shape(Infer)
    .grad([](GradContext& g) {
      if (g.num_inputs() < 2) return;
      g.set_dx(1, g.call("Gather", {g.dy(), g.in(0)}));
    })
    .cpu(Launch)
    .dynamic_output()
    .tolerance(1e-5)
    .reference(Reference)
    .samples(
        {{.in = {{7}}, .lo = 0, .hi = 4},
         {.in = {{2, 3}}, .attrs = {{"minlength", 9}}, .lo = 0, .hi = 4},
         {.in = {{7}, {7}}, .lo = 0, .hi = 4},
         {.in = {{7}}, .attrs = {{"dtype", DType::kF32}}, .lo = 0, .hi = 4},
         {.in = {{0}}},
         {.in = {{0}, {0}}, .attrs = {{"minlength", 2}}},
         {.in = {Shape()}, .lo = 3, .hi = 3},
         {.in = {{200000}}, .lo = 0, .hi = 20},
         {.in = {{200000}, {200000}}, .lo = 0, .hi = 20},
         {.in = {{9000}}, .lo = 0, .hi = 8000}})
    .rejects(
        {{.in = {I64({0, -1})},
          .message = "[BinCount] x[1] is -1; wanted 0 <= index < "},
         {.in = {Array::Vector<int32_t>({INT32_MIN})},
          .message = "[BinCount] x[0] is -2147483648; wanted 0 <= "},
         {.in = {I64({INT64_MAX})},
          .message = "[BinCount] x[0] is 9223372036854775807; wanted 0 <= "
                     "index < 134217728"},
         {.in = {I64({5})},
          .attrs = {{"limit", 5}},
          .message = "[BinCount] x[0] is 5; wanted 0 <= index < 5"},
         {.in = {I64({5})},
          .attrs = {{"minlength", kMaxElements / 64}},
          .message = "out of memory"},
         {.in = {I64({5, 1}), {1}},
          .message = "[BinCount] x is i64[2], weights[0] is f32[1]; wanted "
                     "equal shapes"},
         {.in = {I64({5}), {1}, {1}},
          .message = "[BinCount] weights has 2 inputs; wanted 0 or 1"}});

}  // namespace sluice
