#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/convert.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  const Ints& pads = c.attr<Ints>("paddings");
  for (size_t i = 0; i < pads.size(); ++i) {
    if (pads[i] < 0) {
      return c.Error(
          StrCat("paddings[", i, "] is ", pads[i], "; wanted at least 0"));
    }
  }
  if (pads.size() % 2 != 0 ||
      (x.rank_known() && pads.size() != 2 * static_cast<size_t>(x.rank()))) {
    return c.Error(StrCat(c.Describe(0), ", paddings has ", pads.size(),
                          " entries; wanted two per axis"));
  }
  if (!x.rank_known()) {
    if (pads.size() <= 2 * kMaxRank) {
      c.set_out(0, PartialShape::OfRank(static_cast<int>(pads.size() / 2)));
    }
    return OkStatus();
  }
  Ints dims(x.dims().begin(), x.dims().end());
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t before = pads[2 * i], after = pads[2 * i + 1];
    if (dims[i] < 0) {
      if (before != 0 || after != 0) dims[i] = kUnknownDim;
    } else if (!CheckedAdd(dims[i], before, &dims[i]) ||
               !CheckedAdd(dims[i], after, &dims[i])) {
      dims[i] = INT64_MAX;  // too many elements, as the next line says
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &out = ctx.out(0);
  const Ints& pads = ctx.attr<Ints>("paddings");
  double value = ctx.attr<double>("value");
  alignas(16) char element[16];
  const void* from[] = {&value};
  BlockKernel convert = ConvertBlock(DType::kF64, out.dtype());
  convert.fn(element, from, 1, convert.params);
  FillElements(out.dtype(), element, out.num_elements(), out.mutable_raw());
  if (x.num_elements() == 0) return OkStatus();
  int64_t offset = 0;
  for (int i = 0; i < x.rank(); ++i) {
    auto k = static_cast<size_t>(i);
    offset += pads[2 * k] * out.strides()[k];
  }
  CopyRegion(
      out.dtype(), x.shape(), x.raw(), x.strides(),
      static_cast<char*>(out.mutable_raw()) + offset * DTypeSize(out.dtype()),
      out.strides());
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Ints& pads = attrs.get<Ints>("paddings");
  Ints dims = ref::DimsOf(in[0].shape);
  for (size_t i = 0; i < dims.size(); ++i)
    dims[i] += pads[2 * i] + pads[2 * i + 1];
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    for (size_t i = 0; i < index.size(); ++i) {
      index[i] -= pads[2 * i];
      if (index[i] < 0 || index[i] >= in[0].shape.dim(static_cast<int>(i))) {
        return attrs.get<double>("value");
      }
    }
    return ref::At(in[0], index);
  })};
}

}  // namespace

SL_OP(Pad)
    .doc("x with a border of a constant value.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .attr("paddings", AttrKind::kInts,
          "For each axis, how many elements before and how many after.")
    .attr("value", 0.0, "The value of the border.")
    .shape(Infer)
    .cpu(Launch)
    .strided_inputs()
    .reference(Reference)
    .samples({{.in = {{3}}, .attrs = {{"paddings", Ints{1, 2}}}},
              {.in = {{2, 3}},
               .attrs = {{"paddings", Ints{1, 0, 0, 2}}, {"value", 1}}},
              {.in = {Shape()}, .attrs = {{"paddings", Ints{}}}},
              {.in = {{2, 2}}, .attrs = {{"paddings", Ints{0, 0, 0, 0}}}},
              {.in = {{0, 2}},
               .attrs = {{"paddings", Ints{1, 1, 1, 0}}, {"value", 1.0}}},
              {.in = {{0, 2}}, .attrs = {{"paddings", Ints{0, 0, 1, 0}}}}})
    .rejects(
        {{.in = {{3}},
          .attrs = {{"paddings", Ints{-1, 2}}},
          .message = "[Pad] paddings[0] is -1; wanted at least 0"},
         {.in = {{3}},
          .attrs = {{"paddings", Ints{1}}},
          .message = "[Pad] x is f32[3], paddings has 1 entries; wanted two "
                     "per axis"},
         {.in = {{3}},
          .attrs = {{"paddings", Ints{1, 1, 1, 1}}},
          .message = "[Pad] x is f32[3], paddings has 4 entries; wanted"},
         {.in = {{3}},
          .attrs = {{"paddings", Ints{INT64_MAX, INT64_MAX}}},
          .message = "[Pad] shape [9223372036854775807] has too many "
                     "elements"},
         {.in = {Array::Vector<std::string>({"a"})},
          .attrs = {{"paddings", Ints{1, 1}}},
          .message = "[Pad] x is string; wanted one of "}});

}  // namespace sluice
