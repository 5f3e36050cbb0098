#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/cut_axis.h"

namespace sluice {
namespace {

using cut_axis::Cuts;

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape shown,
                      cut_axis::CutShape(c, c.in(0), c.Describe(0)));
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
  if (!cut_axis::CutView(y, ctx.attrs(), &shown) ||
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
  std::vector<Ints> picks = cut_axis::Picks(y.shape, attrs);
  cut_axis::PutAt(picks, in[1], &y);
  return {y};
}

}  // namespace

SL_OP(StridedSliceUpdate)
    .doc("x with what StridedSlice shows of it replaced by `part`.")
    .input("x: T")
    .input("part: T")
    .output("y: T")
    .types("T", kPlain)
    .attr("begin", AttrKind::kInts, "First index per axis.")
    .attr("end", AttrKind::kInts, "Index before which to stop, per axis.")
    .attr("strides", AttrKind::kInts, "Step per axis, not 0.")
    .shape(Infer)
    .grad([](GradContext& g) {
      if (g.wants(0)) {
        g.set_dx(0, g.call("StridedSliceUpdate",
                           {g.dy(), g.zeros_like(g.in(1))}, g.attrs()));
      }
      if (g.wants(1)) {
        g.set_dx(1, g.call("StridedSlice", {g.dy()}, g.attrs()));
      }
    })
    .cpu(Launch)
    .in_place()
    .reference(Reference)
    .samples({{.in = {{7}, {3}}, .attrs = Cuts({1}, {6}, {2})},
              {.in = {{7}, {7}}, .attrs = Cuts({-1}, {-100}, {-1})},
              {.in = {{4, 5}, {2, 2}}, .attrs = Cuts({3, 0}, {0, 5}, {-2, 3})},
              {.in = {{4, 5}, {2, 5}}, .attrs = Cuts({1}, {3}, {1})},
              {.in = {{4}, {0}}, .attrs = Cuts({3}, {1}, {1})},
              {.in = {Shape(), Shape()}, .attrs = Cuts({}, {}, {})},
              {.in = {{0, 3}, {0, 2}}, .attrs = Cuts({0, 1}, {5, 3}, {1, 1})}})
    .rejects(
        {{.in = {{4}, {3}},
          .attrs = Cuts({0}, {2}, {1}),
          .message = "[StridedSliceUpdate] x is f32[4], part is f32[3]; "
                     "wanted a part of shape [2]"},
         {.in = {{4}, {4}},
          .attrs = Cuts({0}, {4}, {0}),
          .message = "[StridedSliceUpdate] strides[0] is 0; wanted a step"}});

}  // namespace sluice
