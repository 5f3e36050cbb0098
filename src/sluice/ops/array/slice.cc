#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/cut_axis.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  const Ints& begin = c.attr<Ints>("begin");
  const Ints& size = c.attr<Ints>("size");
  if (begin.size() != size.size() ||
      (x.rank_known() && begin.size() != static_cast<size_t>(x.rank()))) {
    return c.Error(StrCat(c.Describe(0), ", begin has ", begin.size(),
                          " entries, size has ", size.size(),
                          "; wanted one per axis"));
  }
  Ints dims = size;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t have = x.rank_known() ? x[static_cast<int>(i)] : kUnknownDim;
    if (begin[i] < 0 || size[i] < -1 ||
        (have >= 0 && (begin[i] > have || size[i] > have - begin[i]))) {
      return c.Error(StrCat(c.Describe(0), ", begin[", i, "] is ", begin[i],
                            ", size[", i, "] is ", size[i],
                            "; wanted 0 <= begin and begin + size inside x"));
    }
    // The whole of an unknown axis is that axis, symbol and all.
    if (size[i] == -1) {
      dims[i] = have >= 0       ? have - begin[i]
                : begin[i] == 0 ? have
                                : kUnknownDim;
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  const Array& x = ctx.in(0);
  const Ints& begin = ctx.attr<Ints>("begin");
  Ints dims = ctx.attr<Ints>("size");
  auto rank = static_cast<size_t>(x.rank());
  if (begin.size() != rank || dims.size() != rank) return false;
  int64_t offset = 0;
  for (size_t i = 0; i < rank; ++i) {
    int64_t have = x.dim(static_cast<int>(i));
    if (begin[i] < 0 || begin[i] > have || dims[i] < -1) return false;
    if (dims[i] == -1) dims[i] = have - begin[i];
    if (dims[i] > have - begin[i]) return false;
    offset += begin[i] * x.strides()[i];
  }
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return false;
  if (shape->num_elements() == 0) offset = 0;  // it may be past the end
  *view = Array::View(x, offset, *shape, x.strides());
  return true;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Ints& begin = attrs.get<Ints>("begin");
  Ints dims = attrs.get<Ints>("size");
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) dims[i] = in[0].shape.dim(static_cast<int>(i)) - begin[i];
  }
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    for (size_t i = 0; i < index.size(); ++i) index[i] += begin[i];
    return ref::At(in[0], index);
  })};
}

// The same block as begin, end and strides.
Attrs AsCuts(const GradContext& g) {
  const Ints &begin = g.attr<Ints>("begin"), &size = g.attr<Ints>("size");
  Ints end(size.size(), INT64_MAX);
  for (size_t i = 0; i < end.size(); ++i) {
    int64_t to;
    if (size[i] >= 0 && CheckedAdd(begin[i], size[i], &to)) end[i] = to;
  }
  return cut_axis::Cuts(begin, end, Ints(end.size(), 1));
}

}  // namespace

SL_OP(Slice)
    .doc("The block of x that starts at begin and has the given size.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("begin", AttrKind::kInts, "First index, one per axis.")
    .attr("size", AttrKind::kInts, "Size, one per axis; -1 means to the end.")
    .shape(Infer)
    .view(View)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("StridedSliceGrad", {g.dy(), g.shape_of(g.in(0))},
                         AsCuts(g)));
    })
    .shares(
        [](const Attrs& attrs) {
          return attrs.get<Ints>("begin").size() == 1 ? ViewOrder::kKeeps
                                                      : ViewOrder::kChanges;
        },
        [](GradContext& g) {
          g.set_dx(0,
                   g.call("StridedSliceUpdate", {g.in(0), g.dy()}, AsCuts(g)));
        })
    .batch([](BatchContext& b) {
      using batch_rules::Ints;
      using batch_rules::prepended;
      return b.set_all({b.in(0)},
                       {{"begin", prepended(0, b.attr<Ints>("begin"))},
                        {"size", prepended(-1, b.attr<Ints>("size"))}});
    })
    .cpu(copy_view<View>)
    .strided_inputs()
    .role(Role::kSlice)
    .reference(Reference)
    .samples({{.in = {{4, 5}},
               .attrs = {{"begin", Ints{1, 2}}, {"size", Ints{2, 3}}}},
              {.in = {{4, 5}},
               .attrs = {{"begin", Ints{0, 1}}, {"size", Ints{-1, -1}}}},
              {.in = {Shape()}, .attrs = {{"begin", Ints{}}, {"size", Ints{}}}},
              {.in = {{3}}, .attrs = {{"begin", Ints{3}}, {"size", Ints{-1}}}},
              {.in = {{3, 2}},
               .attrs = {{"begin", Ints{3, 0}}, {"size", Ints{0, 2}}}},
              {.in = {{0, 2}},
               .attrs = {{"begin", Ints{0, 1}}, {"size", Ints{0, 1}}}}})
    .rejects({{.in = {{4}},
               .attrs = {{"begin", Ints{3}}, {"size", Ints{2}}},
               .message = "[Slice] x is f32[4], begin[0] is 3, size[0] is 2; "
                          "wanted 0 <= begin and begin + size inside x"},
              {.in = {{4}},
               .attrs = {{"begin", Ints{-1}}, {"size", Ints{1}}},
               .message = "[Slice] x is f32[4], begin[0] is -1"},
              {.in = {{4}},
               .attrs = {{"begin", Ints{1}}, {"size", Ints{INT64_MAX}}},
               .message = "[Slice] x is f32[4], begin[0] is 1, size[0] is "},
              {.in = {{4}},
               .attrs = {{"begin", Ints{5}}, {"size", Ints{-1}}},
               .message = "[Slice] x is f32[4], begin[0] is 5"},
              {.in = {{4}},
               .attrs = {{"begin", Ints{0}}, {"size", Ints{-2}}},
               .message = "[Slice] x is f32[4], begin[0] is 0, size[0] is -2"},
              {.in = {{4, 2}},
               .attrs = {{"begin", Ints{0}}, {"size", Ints{1}}},
               .message = "[Slice] x is f32[4,2], begin has 1 entries, size "
                          "has 1; wanted one per axis"}});

}  // namespace sluice
