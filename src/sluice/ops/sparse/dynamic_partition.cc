#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/gather.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape &data = c.in(0), &parts = c.in(1);
  if (!data.rank_known() || !parts.rank_known()) return OkStatus();
  bool fits = parts.rank() <= data.rank();
  for (int i = 0; fits && i < parts.rank(); ++i) {
    fits = parts[i] < 0 || data[i] < 0 || parts[i] == data[i];
  }
  if (!fits) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1),
                          "; wanted data to begin with the sizes of "
                          "partitions"));
  }
  Ints dims{kUnknownDim};
  for (int i = parts.rank(); i < data.rank(); ++i) dims.push_back(data[i]);
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_out(i, out);
  return OkStatus();
}

template <class I>
Status Partition(KernelContext& ctx) {
  const Array &data = ctx.in(0), &parts = ctx.in(1);
  const I* part = parts.data<I>();
  int64_t n = parts.num_elements();
  Ints dims{0};
  for (int i = parts.rank(); i < data.rank(); ++i) dims.push_back(data.dim(i));
  // The rows of each part, one part after the other: a counting sort.
  auto num = static_cast<size_t>(ctx.num_outputs());
  Ints first(num + 1, 0), rows(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) ++first[static_cast<size_t>(part[i]) + 1];
  for (size_t p = 0; p < num; ++p) first[p + 1] += first[p];
  Ints next(first.begin(), first.end() - 1);
  for (int64_t i = 0; i < n; ++i) {
    rows[static_cast<size_t>(next[static_cast<size_t>(part[i])]++)] = i;
  }
  for (size_t p = 0; p < num; ++p) {
    auto k = static_cast<int>(p);
    dims[0] = first[p + 1] - first[p];
    SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    SL_RETURN_IF_ERROR(ctx.AllocateOut(k, data.dtype(), shape));
    if (shape.num_elements() == 0) continue;
    RowPick pick;
    pick.size = n;
    pick.count = dims[0];
    pick.checked = true;
    pick.row_bytes = shape.num_elements() / dims[0] * DTypeSize(data.dtype());
    GatherRows(pick, data.raw(), DType::kI64, rows.data() + first[p],
               ctx.out(k).mutable_raw(), ctx.step().pool);
  }
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CheckShapes(ctx));
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 1, ctx.num_outputs()));
  Status status;
  DispatchIndex(ctx.in(1).dtype(),
                [&]<class I>() { status = Partition<I>(ctx); });
  return status;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  std::vector<RefArray> out;
  Ints rest = ref::DimsOf(in[0].shape);
  rest.erase(rest.begin(), rest.begin() + in[1].shape.rank());
  for (int64_t p = 0; p < attrs.get<int64_t>("num"); ++p) {
    RefArray y;
    int64_t count = 0;
    ref::ForEach(in[1].shape, [&](const Ints& row) {
      if (ref::At(in[1], row) != static_cast<double>(p)) return;
      ++count;
      ref::ForEach(ref::MakeShape(rest), [&](const Ints& more) {
        Ints at = row;
        at.insert(at.end(), more.begin(), more.end());
        y.v.push_back(ref::At(in[0], at));
      });
    });
    Ints dims = rest;
    dims.insert(dims.begin(), count);
    y.shape = ref::MakeShape(dims);
    out.push_back(y);
  }
  return out;
}

}  // namespace

SL_OP(DynamicPartition)
    .doc(
        "data sorted into num parts: slice i of its first axes goes to the "
        "part that partitions[i] names, in order. DynamicStitch goes back.")
    .input("data: T")
    .input("partitions: I")
    .output("ys: T * num")
    .types("T", kPlain)
    .types("I", kIndices)
    .attr("num", AttrKind::kInt, "How many parts.")
    .between(1, 1 << 16)
    .shape(Infer)
    .grad([](GradContext& g) {
      std::vector<GradVar> parts;
      for (int i = 0; i < g.num_outputs(); ++i) parts.push_back(g.dy(i));
      auto rows = g.call_all("Concat", parts, {{"axis", 0}});
      if (rows.empty()) return;
      // Sorting is stable: so are the rows of all parts in order.
      GradVar flat = g.call("Reshape", {g.in(1), g.ints({-1})});
      GradVar from = g.call("ArgSort", {flat});
      GradVar at = g.reshape_as(g.call("InvertPermutation", {from}), g.in(1));
      g.set_dx(0, g.call("Gather", {rows[0], at}));
    })
    .cpu(Launch)
    .dynamic_output()
    .reference(Reference)
    .samples(
        {{.in = {{7}, {7}}, .attrs = {{"num", 3}}, .lo = 0, .hi = 2},
         {.in = {{5, 3}, {5}}, .attrs = {{"num", 2}}, .lo = 0, .hi = 1},
         {.in = {{2, 3, 2}, {2, 3}}, .attrs = {{"num", 4}}, .lo = 0, .hi = 3},
         {.in = {Shape(), Shape()}, .attrs = {{"num", 2}}, .lo = 1, .hi = 1},
         {.in = {{0, 3}, {0}}, .attrs = {{"num", 2}}},
         {.in = {{3, 0}, {3}}, .attrs = {{"num", 1}}, .lo = 0, .hi = 0},
         {.in = {{700, 30}, {700}},
          .attrs = {{"num", 5}},
          .lo = 0,
          .hi = 4,
          .only = {DType::kF32, DType::kI8}}})
    .rejects(
        {{.in = {{2}, Array::Vector<int64_t>({0, 2})},
          .attrs = {{"num", 2}},
          .message = "[DynamicPartition] partitions[1] is 2; wanted 0 <= index "
                     "< 2"},
         {.in = {{2}, Array::Vector<int32_t>({-1, 0})},
          .attrs = {{"num", 2}},
          .message = "[DynamicPartition] partitions[0] is -1; wanted"},
         {.in = {{2}, Array::Vector<int64_t>({0})},
          .attrs = {{"num", 2}},
          .message = "[DynamicPartition] data is f32[2], partitions is i64[1]; "
                     "wanted data to begin with the sizes of partitions"}});

}  // namespace sluice
