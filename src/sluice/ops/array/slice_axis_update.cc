#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/slice_axis.h"
#include "sluice/ops/array/slice_batch.h"

namespace sluice {
namespace {

using slice_axis::Along;
using slice_axis::Place;

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape shown,
                      slice_axis::CutShape(c, c.in(0), c.Describe(0), 2));
  if (!MergeShapes(shown, c.in(1)).ok()) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1),
                          "; wanted a part of shape ", shown));
  }
  return shapes::same_as_first(c);
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &part = ctx.in(1), &y = ctx.out(0);
  WorkerPool* pool = ctx.step().pool;
  if (x.raw() != y.raw()) {
    CopyRegion(x.dtype(), x.shape(), x.raw(), x.strides(), y.mutable_raw(),
               y.strides(), pool);
  }
  Array shown;
  if (!cut_axis::CutView(y, slice_axis::CutsOf(y.rank(), ctx, 2), &shown) ||
      !(shown.shape() == part.shape())) {
    return ctx.Error("cannot be formed from its inputs");
  }
  if (part.num_elements() == 0) return OkStatus();
  CopyRegion(x.dtype(), part.shape(), part.raw(), part.strides(),
             shown.mutable_raw(), shown.strides(), pool);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  RefArray y = in[0];
  std::vector<Ints> picks = cut_axis::Picks(
      y.shape, slice_axis::CutsOf(y.shape.rank(), attrs,
                                  static_cast<int64_t>(in[2].v[0]),
                                  static_cast<int64_t>(in[3].v[0])));
  cut_axis::PutAt(picks, in[1], &y);
  return {y};
}

}  // namespace

SL_OP(SliceAxisUpdate)
    .doc("x with what SliceAxis shows of it replaced by `part`.")
    .input("x: T")
    .input("part: T")
    .input("begin: i64")
    .input("end: i64")
    .output("y: T")
    .types("T", kPlain)
    .attr("axis", 0, "The axis to cut.")
    .attr("step", 1, "Every so many slices, at least 1.")
    .shape(Infer)
    .grad([](GradContext& g) {
      if (g.wants(0)) {
        g.set_dx(0, g.call("SliceAxisUpdate",
                           {g.dy(), g.zeros_like(g.in(1)), g.in(2), g.in(3)},
                           g.attrs()));
      }
      if (g.wants(1)) {
        g.set_dx(1, g.call("SliceAxis", {g.dy(), g.in(2), g.in(3)}, g.attrs()));
      }
    })
    .batch([](BatchContext& b) {
      if (b.batched(2) || b.batched(3)) return false;
      return b.set_all({b.full(0), b.full(1), b.in(2), b.in(3)},
                       slice_batch::next_axis(b));
    })
    .cpu(Launch)
    .in_place()
    .reference(Reference)
    .samples({{.in = {{7}, {5}, Place(1), Place(6)}, .attrs = Along(0)},
              {.in = {{7}, {3}, Place(1), Place(6)}, .attrs = Along(0, 2)},
              {.in = {{4, 5}, {4, 3}, Place(-3), Place(100)},
               .attrs = Along(1)},
              {.in = {{4}, {0}, Place(3), Place(1)}, .attrs = Along(0)},
              {.in = {{0, 3}, {0, 2}, Place(1), Place(3)}, .attrs = Along(-1)}})
    .rejects({{.in = {{4}, {3}, Place(0), Place(2)},
               .attrs = Along(0),
               .message = "[SliceAxisUpdate] x is f32[4], part is f32[3]; "
                          "wanted a part of shape [2]"},
              {.in = {{4}, {4}, Place(0), Place(4)},
               .attrs = Along(0, 0),
               .message = "[SliceAxisUpdate] step is 0; wanted at least 1"}});

}  // namespace sluice
