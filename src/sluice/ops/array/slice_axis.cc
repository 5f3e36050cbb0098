#include "sluice/ops/array/slice_axis.h"

#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/slice_batch.h"

namespace sluice {
namespace {

using slice_axis::Along;
using slice_axis::Place;

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape out,
                      slice_axis::CutShape(c, c.in(0), c.Describe(0), 1));
  c.set_out(0, out);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  const Array& x = ctx.in(0);
  int64_t axis = ctx.attr<int64_t>("axis");
  if (axis < -x.rank() || axis >= x.rank() || ctx.attr<int64_t>("step") < 1 ||
      ctx.in(1).rank() != 0 || ctx.in(2).rank() != 0) {
    return false;
  }
  return cut_axis::CutView(x, slice_axis::CutsOf(x.rank(), ctx, 1), view);
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  std::vector<Ints> picks = cut_axis::Picks(
      in[0].shape, slice_axis::CutsOf(in[0].shape.rank(), attrs,
                                      static_cast<int64_t>(in[1].v[0]),
                                      static_cast<int64_t>(in[2].v[0])));
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

SL_OP(SliceAxis)
    .doc(
        "x[begin:end:step] along one axis, as Python reads it, with places "
        "that are known when the graph runs.")
    .input("x: T")
    .input("begin: i64")
    .input("end: i64")
    .output("y: T")
    .types("T", kAnyData)
    .attr("axis", 0, "The axis to cut.")
    .attr("step", 1, "Every so many slices, at least 1.")
    .shape(Infer)
    .view(View)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SliceAxisGrad",
                         {g.dy(), g.shape_of(g.in(0)), g.in(1), g.in(2)},
                         g.attrs()));
    })
    .shares(slice_axis::OrderOfCut,
            [](GradContext& g) {
              g.set_dx(0,
                       g.call("SliceAxisUpdate",
                              {g.in(0), g.dy(), g.in(1), g.in(2)}, g.attrs()));
            })
    .batch([](BatchContext& b) {
      // The same positions in all lanes.
      if (b.batched(1) || b.batched(2)) return false;
      return b.set_all(b.all_in(), slice_batch::next_axis(b));
    })
    .cpu(copy_view<View>)
    .strided_inputs()
    .reference(Reference)
    .samples({{.in = {{7}, Place(1), Place(6)}, .attrs = Along(0)},
              {.in = {{7}, Place(1), Place(6)}, .attrs = Along(0, 2)},
              {.in = {{4, 5}, Place(-3), Place(100)}, .attrs = Along(1)},
              {.in = {{4, 5}, Place(0), Place(-1)}, .attrs = Along(-2)},
              {.in = {{4, 5, 2}, Place(-100), Place(3)}, .attrs = Along(-2, 3)},
              {.in = {{4}, Place(3), Place(1)}, .attrs = Along(0)},
              {.in = {{0, 3}, Place(0), Place(2)}, .attrs = Along(0)}})
    .rejects({{.in = {{4}, Place(0), Place(2)},
               .attrs = Along(0, 0),
               .message = "[SliceAxis] step is 0; wanted at least 1"},
              {.in = {{4}, Place(0), Place(2)},
               .attrs = Along(1),
               .message = "[SliceAxis] x is f32[4], axis is 1; wanted -1 to 0"},
              {.in = {{4}, Array::Vector<int64_t>({0}), Place(2)},
               .attrs = Along(0),
               .message = "[SliceAxis] begin is i64[1]; wanted rank 0"}});

}  // namespace sluice
