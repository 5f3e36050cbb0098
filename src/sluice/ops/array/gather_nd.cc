#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/gather.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(1, 1));
  const PartialShape &params = c.in(0), &indices = c.in(1);
  if (!params.rank_known() || !indices.rank_known()) return OkStatus();
  int64_t depth = indices[indices.rank() - 1];
  if (depth < 0) return OkStatus();
  if (depth > params.rank()) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1),
                          "; wanted tuples of at most ", params.rank(),
                          " indices"));
  }
  Ints dims(indices.dims().begin(), indices.dims().end() - 1);
  for (int i = static_cast<int>(depth); i < params.rank(); ++i) {
    dims.push_back(params[i]);
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

int64_t Tuples(const Shape& indices) {
  int64_t n = 1;
  for (int i = 0; i + 1 < indices.rank(); ++i) n *= indices.dim(i);
  return n;
}

int64_t Workspace(const ShapeContext& c) {
  if (!c.in(1).fully_known()) return 0;
  // Tuples without indices take no memory themselves, so there may be very
  // many; too large a request is then refused.
  return std::min(Tuples(c.in(1).ToShape()), kMaxElements / 8) * 8;
}

Status Launch(KernelContext& ctx) {
  const Array &params = ctx.in(0), &indices = ctx.in(1), &y = ctx.out(0);
  auto* rows = static_cast<int64_t*>(ctx.workspace());
  SL_RETURN_IF_ERROR(FlattenIndices(ctx, 1, params.shape(), rows));
  if (y.num_elements() == 0) return OkStatus();
  int64_t tuples = Tuples(indices.shape());
  RowPick pick;
  pick.row_bytes = y.num_elements() / tuples * DTypeSize(y.dtype());
  pick.count = tuples;
  pick.checked = true;
  GatherRows(pick, params.raw(), DType::kI64, rows, y.mutable_raw(),
             ctx.step().pool);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  const Shape &params = in[0].shape, &indices = in[1].shape;
  int lead = indices.rank() - 1;
  auto depth = static_cast<int>(indices.dim(lead));
  Ints dims = ref::DimsOf(indices);
  dims.pop_back();
  for (int i = depth; i < params.rank(); ++i) dims.push_back(params.dim(i));
  return {ref::Build(ref::MakeShape(dims), [&](const Ints& index) {
    Ints at;
    for (int64_t k = 0; k < depth; ++k) {
      Ints tuple(index.begin(), index.begin() + lead);
      tuple.push_back(k);
      at.push_back(static_cast<int64_t>(ref::At(in[1], tuple)));
    }
    at.insert(at.end(), index.begin() + lead, index.end());
    return ref::At(in[0], at);
  })};
}

}  // namespace

SL_OP(GatherNd)
    .doc(
        "Elements or slices of params picked by tuples of indices, which lie "
        "along the last axis of indices.")
    .input("params: T")
    .input("indices: I")
    .output("y: T")
    .types("T", kPlain)
    .types("I", kIndices)
    .shape(Infer)
    .grad([](GradContext& g) {
      GradVar shape = g.shape_of(g.in(0));
      g.set_dx(0, g.call("ScatterNd", {g.in(1), g.dy(), shape}));
    })
    .batch([](BatchContext& b) {
      if (!b.batched(0)) return b.set_all(b.all_in());
      int rank = b.rank(1);
      if (rank < 1) return false;
      return b.set_all(
          {b.in(0), batch_rules::with_lane_numbers(b, b.full(1), rank)});
    })
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .reference(Reference)
    .samples({{.in = {{5}, {3, 1}}, .lo = 0, .hi = 4},
              {.in = {{4, 3}, {2, 2, 1}}, .lo = 0, .hi = 3},
              {.in = {{3, 4, 2}, {5, 2}}, .lo = 0, .hi = 2},
              {.in = {{3, 3}, {2}}, .lo = 0, .hi = 2},
              {.in = {{2, 3}, {4, 0}}},
              {.in = {{3}, {0, 1}}},
              {.in = {{0, 3}, {0, 1}}},
              {.in = {{20, 30, 40}, {900, 2}},
               .lo = 0,
               .hi = 19,
               .only = {DType::kF32, DType::kF64, DType::kI8}}})
    .rejects(
        {{.in = {{3}, Array::Of<int64_t>({2, 1}, {0, 3})},
          .message = "[GatherNd] indices[1] is [3]; wanted indices inside [3]"},
         {.in = {{3, 2}, Array::Of<int32_t>({1, 2}, {1, INT32_MIN})},
          .message = "[GatherNd] indices[0] is [1,-2147483648]; wanted "},
         {.in = {{0, 2}, Array::Of<int64_t>({1, 1}, {0})},
          .message = "[GatherNd] indices[0] is [0]; wanted indices inside [0]"},
         {.in = {{3}, Array::Zeros(DType::kI64, {1, 2})},
          .message = "[GatherNd] params is f32[3], indices is i64[1,2]; wanted "
                     "tuples of at most 1 indices"},
         {.in = {{3}, Array::Scalar<int64_t>(0)},
          .message = "[GatherNd] indices is i64[]; wanted rank 1 or more"}});

}  // namespace sluice
