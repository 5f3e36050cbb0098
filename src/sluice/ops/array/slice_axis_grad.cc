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
  SL_ASSIGN_OR_RETURN(PartialShape out, ShapeFromInput(c, 1));
  SL_ASSIGN_OR_RETURN(
      PartialShape shown,
      slice_axis::CutShape(c, out, StrCat("shape is ", out), 2));
  if (!MergeShapes(shown, c.in(0)).ok()) {
    return c.Error(StrCat(c.Describe(0), ", shape is ", out,
                          "; wanted dy of shape ", shown));
  }
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &dy = ctx.in(0), &dx = ctx.out(0);
  WorkerPool* pool = ctx.step().pool;
  FillElements(dx.dtype(), ElementOf(0, dx.dtype()).bytes, dx.num_elements(),
               dx.mutable_raw(), pool);
  Array shown;
  if (!cut_axis::CutView(dx, slice_axis::CutsOf(dx.rank(), ctx, 2), &shown)) {
    return ctx.Error("cannot be formed from its inputs");
  }
  if (dy.num_elements() == 0) return OkStatus();
  CopyRegion(dx.dtype(), dy.shape(), dy.raw(), dy.strides(),
             shown.mutable_raw(), shown.strides(), pool);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  Ints dims(in[1].v.begin(), in[1].v.end());
  RefArray dx = ref::Build(ref::MakeShape(dims), [](const Ints&) { return 0; });
  std::vector<Ints> picks = cut_axis::Picks(
      dx.shape, slice_axis::CutsOf(dx.shape.rank(), attrs,
                                   static_cast<int64_t>(in[2].v[0]),
                                   static_cast<int64_t>(in[3].v[0])));
  cut_axis::PutAt(picks, in[0], &dx);
  return {dx};
}

Array To(std::initializer_list<int64_t> dims) {
  return Array::Vector<int64_t>(dims);
}

}  // namespace

SL_OP(SliceAxisGrad)
    .doc(
        "The gradient of SliceAxis: dy where the slice was taken from, 0 "
        "elsewhere.")
    .input("dy: T")
    .input("shape: i64")
    .input("begin: i64")
    .input("end: i64")
    .output("dx: T")
    .types("T", kNumbers)
    .attr("axis", 0, "The axis that was cut.")
    .attr("step", 1, "Every so many slices, at least 1.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SliceAxis", {g.dy(), g.in(2), g.in(3)}, g.attrs()));
    })
    .batch([](BatchContext& b) {
      if (b.batched(1) || b.batched(2) || b.batched(3)) return false;
      return b.set_all({b.full(0), b.lanes_and(b.in(1)), b.in(2), b.in(3)},
                       slice_batch::next_axis(b));
    })
    .cpu(Launch)
    .strided_inputs()
    .internal()
    .reference(Reference)
    .samples(
        {{.in = {{5}, To({7}), Place(1), Place(6)}, .attrs = Along(0)},
         {.in = {{3}, To({7}), Place(1), Place(6)}, .attrs = Along(0, 2)},
         {.in = {{4, 3}, To({4, 5}), Place(-3), Place(100)}, .attrs = Along(1)},
         {.in = {{3, 5}, To({4, 5}), Place(0), Place(-1)}, .attrs = Along(-2)},
         {.in = {{0}, To({4}), Place(3), Place(1)}, .attrs = Along(0)},
         {.in = {{0, 3}, To({0, 3}), Place(0), Place(2)}, .attrs = Along(0)}})
    .rejects(
        {{.in = {{3}, To({4}), Place(0), Place(2)},
          .attrs = Along(0),
          .message = "[SliceAxisGrad] dy is f32[3], shape is [4]; wanted dy of "
                     "shape [2]"},
         {.in = {{4}, To({4}), Place(0), Place(4)},
          .attrs = Along(2),
          .message = "[SliceAxisGrad] shape is [4], axis is 2; wanted -1 to 0"},
         {.in = {{4}, To({4}), Place(0), Place(4)},
          .attrs = Along(0, -1),
          .message = "[SliceAxisGrad] step is -1; wanted at least 1"}});

}  // namespace sluice
