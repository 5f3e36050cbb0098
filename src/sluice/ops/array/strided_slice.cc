#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/cut_axis.h"
#include "sluice/ops/array/slice_batch.h"

namespace sluice {
namespace {

using cut_axis::Cuts;

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape out,
                      cut_axis::CutShape(c, c.in(0), c.Describe(0)));
  c.set_out(0, out);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  return cut_axis::CutView(ctx.in(0), ctx.attrs(), view);
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  std::vector<Ints> picks = cut_axis::Picks(in[0].shape, attrs);
  Ints dims;
  for (const Ints& pick : picks) {
    dims.push_back(static_cast<int64_t>(pick.size()));
  }
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    for (size_t i = 0; i < index.size(); ++i) {
      index[i] = picks[i][static_cast<size_t>(index[i])];
    }
    return ref::At(in[0], index);
  })};
}

}  // namespace

SL_OP(StridedSlice)
    .doc(
        "x[begin:end:stride] on each of the first axes, as Python reads it; a "
        "very negative end with a negative stride reaches the first element.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("begin", AttrKind::kInts, "First index per axis.")
    .attr("end", AttrKind::kInts, "Index before which to stop, per axis.")
    .attr("strides", AttrKind::kInts, "Step per axis, not 0.")
    .shape(Infer)
    .view(View)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("StridedSliceGrad", {g.dy(), g.shape_of(g.in(0))},
                         g.attrs()));
    })
    .shares(cut_axis::OrderOfCut,
            [](GradContext& g) {
              g.set_dx(0, g.call("StridedSliceUpdate", {g.in(0), g.dy()},
                                 g.attrs()));
            })
    .batch([](BatchContext& b) {
      return b.set_all({b.in(0)}, slice_batch::all_lanes(b));
    })
    .cpu(copy_view<View>)
    .strided_inputs()
    .reference(Reference)
    .samples({{.in = {{7}}, .attrs = Cuts({1}, {6}, {2})},
              {.in = {{7}}, .attrs = Cuts({-1}, {-100}, {-1})},
              {.in = {{4, 5}}, .attrs = Cuts({3, 0}, {0, 5}, {-2, 3})},
              {.in = {{4, 5}}, .attrs = Cuts({1}, {3}, {1})},
              {.in = {{4, 5}}, .attrs = Cuts({-3, -2}, {100, 100}, {1, 1})},
              {.in = {{4}}, .attrs = Cuts({3}, {1}, {1})},
              {.in = {{4}}, .attrs = Cuts({1}, {4}, {1000})},
              {.in = {Shape()}, .attrs = Cuts({}, {}, {})},
              {.in = {{0, 3}}, .attrs = Cuts({0, 1}, {5, 3}, {1, 1})}})
    .rejects({{.in = {{4}},
               .attrs = Cuts({0}, {4}, {0}),
               .message = "[StridedSlice] strides[0] is 0; wanted a step"},
              {.in = {{4}},
               .attrs = Cuts({0, 0}, {1, 1}, {1, 1}),
               .message = "[StridedSlice] x is f32[4], begin, end and strides "
                          "have 2, 2 and 2 entries"},
              {.in = {{4}},
               .attrs = Cuts({0}, {1, 1}, {1}),
               .message = "[StridedSlice] x is f32[4], begin, end and strides "
                          "have 1, 2 and 1 entries"}});

}  // namespace sluice
