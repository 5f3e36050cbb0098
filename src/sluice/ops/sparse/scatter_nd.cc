#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/sparse/scatter_reference.h"
#include "sluice/ops/sparse/scatter_tuples.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape out, ShapeFromInput(c, 2));
  SL_RETURN_IF_ERROR(scatter_tuples::CheckShapes(c, 0, out));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  return scatter_tuples::Apply(ctx, 0, ScatterOp::kAdd, y, [&] {
    FillElements(y.dtype(), ElementOf(0, y.dtype()).bytes, y.num_elements(),
                 y.mutable_raw(), ctx.step().pool);
  });
}

int64_t Workspace(const ShapeContext& c) {
  return scatter_tuples::TupleBytes(c, 0);
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  Ints dims(in[2].v.begin(), in[2].v.end());
  RefArray zero =
      ref::Build(ref::MakeShape(dims), [](const Ints&) { return 0; });
  return {scatter_tuples::Scatter(zero, in[0], in[1], scatter_reference::Add)};
}

Array To(std::initializer_list<int64_t> dims) {
  return Array::Vector<int64_t>(dims);
}

}  // namespace

SL_OP(ScatterNd)
    .doc(
        "An array of zeros to which updates are added at tuples of indices, "
        "which lie along the last axis of indices.")
    .input("indices: I")
    .input("updates: T")
    .input("shape: i64")
    .output("y: T")
    .types("T", kNumbers)
    .types("I", kIndices)
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(1, g.call("GatherNd", {g.dy(), g.in(0)}));
    })
    .batch([](BatchContext& b) {
      int rank = b.rank(0);
      if (b.batched(2) || rank < 1) return false;
      return b.set_all({batch_rules::with_lane_numbers(b, b.full(0), rank),
                        b.full(1), b.lanes_and(b.in(2))},
                       {});
    })
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .tolerance(1e-4)
    .reference(Reference)
    .samples({{.in = {{4, 1}, {4}, To({6})}, .lo = 0, .hi = 5},
              {.in = {{3, 1}, {3, 2}, To({4, 2})}, .lo = 0, .hi = 3},
              {.in = {{2, 3, 2}, {2, 3, 2}, To({3, 4, 2})}, .lo = 0, .hi = 2},
              {.in = {{0, 1}, {0}, To({3})}},
              {.in = {{1, 0}, {1}, To({})}},
              {.in = {{500, 1}, {500, 70}, To({300, 70})},
               .lo = 0,
               .hi = 299,
               .only = {DType::kF32, DType::kI8}}})
    .rejects(
        {{.in = {Array::Of<int64_t>({1, 1}, {4}), {1}, To({4})},
          .message = "[ScatterNd] indices[0] is [4]; wanted indices inside "
                     "[4]"},
         {.in = {Array::Of<int32_t>({1, 1}, {-1}), {1}, To({4})},
          .message = "[ScatterNd] indices[0] is [-1]; wanted"},
         {.in = {Array::Zeros(DType::kI64, {2, 1}), {3}, To({4})},
          .message = "[ScatterNd] indices is i64[2,1], updates is f32[3]; "
                     "wanted updates of shape [2]"},
         {.in = {Array::Zeros(DType::kI64, {2, 3}), {2}, To({4})},
          .message = "[ScatterNd] indices is i64[2,3]; wanted tuples of at "
                     "most 1 indices"},
         {.in = {Array::Zeros(DType::kI64, {1, 1}), {1}, To({-4})},
          .message = "[ScatterNd] shape[0] is -4; wanted a size of at least "
                     "0"},
         {.in = {Array::Zeros(DType::kI64, {1, 1}), {1}, To({kMaxElements})},
          .message = "out of memory"}});

}  // namespace sluice
