#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  const Ints& times = c.attr<Ints>("multiples");
  if (x.rank_known() && times.size() != static_cast<size_t>(x.rank())) {
    return c.Error(StrCat(c.Describe(0), ", multiples has ", times.size(),
                          " entries; wanted one per axis"));
  }
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] < 0) {
      return c.Error(
          StrCat("multiples[", i, "] is ", times[i], "; wanted at least 0"));
    }
  }
  if (!x.rank_known()) return OkStatus();
  Ints dims(x.dims().begin(), x.dims().end());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) {
      dims[i] = times[i] == 0 ? 0 : times[i] == 1 ? dims[i] : kUnknownDim;
    } else if (!CheckedMul(dims[i], times[i], &dims[i])) {
      dims[i] = INT64_MAX;
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &out = ctx.out(0);
  if (out.num_elements() == 0) return OkStatus();
  const Ints& times = ctx.attr<Ints>("multiples");
  // Once for each copy of x, counted like the digits of a number.
  Ints copy(times.size(), 0);
  int64_t size = DTypeSize(out.dtype());
  for (;;) {
    int64_t offset = 0;
    for (size_t i = 0; i < copy.size(); ++i) {
      offset += copy[i] * x.dim(static_cast<int>(i)) * out.strides()[i];
    }
    CopyRegion(out.dtype(), x.shape(), x.raw(), x.strides(),
               static_cast<char*>(out.mutable_raw()) + offset * size,
               out.strides());
    size_t axis = copy.size();
    while (axis > 0 && ++copy[axis - 1] == times[axis - 1]) copy[--axis] = 0;
    if (axis == 0) return OkStatus();
  }
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  Ints dims = ref::DimsOf(in[0].shape);
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] *= attrs.get<Ints>("multiples")[i];
  }
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    for (size_t i = 0; i < index.size(); ++i) {
      index[i] %= in[0].shape.dim(static_cast<int>(i));
    }
    return ref::At(in[0], index);
  })};
}

}  // namespace

SL_OP(Tile)
    .doc("x repeated along its axes.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("multiples", AttrKind::kInts, "How often, one number per axis.")
    .shape(Infer)
    .cpu(Launch)
    .strided_inputs()
    .reference(Reference)
    .samples({{.in = {{3}}, .attrs = {{"multiples", Ints{2}}}},
              {.in = {{2, 3}}, .attrs = {{"multiples", Ints{2, 3}}}},
              {.in = {{2, 3}}, .attrs = {{"multiples", Ints{1, 1}}}},
              {.in = {Shape()}, .attrs = {{"multiples", Ints{}}}},
              {.in = {{2, 3}}, .attrs = {{"multiples", Ints{0, 2}}}},
              {.in = {{0, 3}}, .attrs = {{"multiples", Ints{4, 2}}}}})
    .rejects(
        {{.in = {{2, 3}},
          .attrs = {{"multiples", Ints{2}}},
          .message = "[Tile] x is f32[2,3], multiples has 1 entries; wanted "
                     "one per axis"},
         {.in = {{2}},
          .attrs = {{"multiples", Ints{-1}}},
          .message = "[Tile] multiples[0] is -1; wanted at least 0"},
         {.in = {{2}},
          .attrs = {{"multiples", Ints{INT64_MAX}}},
          .message = "[Tile] shape [9223372036854775807] has too many "
                     "elements"}});

}  // namespace sluice
