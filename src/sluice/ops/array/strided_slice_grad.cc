#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/cut_axis.h"
#include "sluice/ops/array/slice_batch.h"

namespace sluice {
namespace {

using cut_axis::Cuts;

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape out, ShapeFromInput(c, 1));
  SL_ASSIGN_OR_RETURN(PartialShape shown,
                      cut_axis::CutShape(c, out, StrCat("shape is ", out)));
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
  if (!cut_axis::CutView(dx, ctx.attrs(), &shown)) {
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
  std::vector<Ints> picks = cut_axis::Picks(dx.shape, attrs);
  cut_axis::PutAt(picks, in[0], &dx);
  return {dx};
}

Array To(std::initializer_list<int64_t> dims) {
  return Array::Vector<int64_t>(dims);
}

}  // namespace

SL_OP(StridedSliceGrad)
    .doc(
        "The gradient of StridedSlice: dy where the slice was taken from, 0 "
        "elsewhere.")
    .input("dy: T")
    .input("shape: i64")
    .output("dx: T")
    .types("T", kNumbers)
    .attr("begin", AttrKind::kInts, "First index per axis.")
    .attr("end", AttrKind::kInts, "Index before which to stop, per axis.")
    .attr("strides", AttrKind::kInts, "Step per axis, not 0.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("StridedSlice", {g.dy()}, g.attrs()));
    })
    .batch([](BatchContext& b) {
      if (b.batched(1)) return false;
      return b.set_all({b.full(0), b.lanes_and(b.in(1))},
                       slice_batch::all_lanes(b));
    })
    .cpu(Launch)
    .strided_inputs()
    .linear(Linear::kInFirst)
    .internal()
    .reference(Reference)
    .samples(
        {{.in = {{3}, To({7})}, .attrs = Cuts({1}, {6}, {2})},
         {.in = {{7}, To({7})}, .attrs = Cuts({-1}, {-100}, {-1})},
         {.in = {{2, 2}, To({4, 5})}, .attrs = Cuts({3, 0}, {0, 5}, {-2, 3})},
         {.in = {{2, 5}, To({4, 5})}, .attrs = Cuts({1}, {3}, {1})},
         {.in = {{0}, To({4})}, .attrs = Cuts({3}, {1}, {1})},
         {.in = {{1}, To({4})}, .attrs = Cuts({1}, {4}, {1000})},
         {.in = {Shape(), To({})}, .attrs = Cuts({}, {}, {})},
         {.in = {{0, 2}, To({0, 3})}, .attrs = Cuts({0, 1}, {5, 3}, {1, 1})},
         {.in = {{150, 40}, To({300, 130})},
          .attrs = Cuts({0, 5}, {300, 125}, {2, 3}),
          .only = {DType::kF32, DType::kF16}}})
    .rejects(
        {{.in = {{3}, To({4})},
          .attrs = Cuts({0}, {2}, {1}),
          .message = "[StridedSliceGrad] dy is f32[3], shape is [4]; wanted dy "
                     "of shape [2]"},
         {.in = {{4}, To({4})},
          .attrs = Cuts({0}, {4}, {0}),
          .message = "[StridedSliceGrad] strides[0] is 0; wanted a step"},
         {.in = {{1}, To({4})},
          .attrs = Cuts({0, 0}, {1, 1}, {1, 1}),
          .message = "[StridedSliceGrad] shape is [4], begin, end and strides "
                     "have 2, 2 and 2 entries"},
         {.in = {{1}, To({-4})},
          .attrs = Cuts({0}, {1}, {1}),
          .message = "[StridedSliceGrad] shape[0] is -4; wanted a size of at "
                     "least 0"}});

}  // namespace sluice
