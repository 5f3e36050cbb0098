#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct Cut {
  int64_t first, count;
};

// Python's begin:end:step on an axis of `size`: negative counts from the end,
// then out-of-range bounds are moved to the ends. REQUIRES: step != 0.
Cut CutAxis(int64_t size, int64_t begin, int64_t end, int64_t step) {
  auto place = [&](int64_t at) {
    if (at < 0) at = at < -size ? -1 : at + size;
    if (step > 0) return at < 0 ? int64_t{0} : at > size ? size : at;
    return at < -1 ? int64_t{-1} : at >= size ? size - 1 : at;
  };
  int64_t b = place(begin), e = place(end);
  // Unsigned, because the smallest step has no negative.
  uint64_t distance = step > 0 ? (e > b ? static_cast<uint64_t>(e - b) : 0)
                               : (b > e ? static_cast<uint64_t>(b - e) : 0);
  uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  auto count =
      distance == 0 ? 0 : static_cast<int64_t>((distance - 1) / stride) + 1;
  return {b, count};
}

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  const Ints& begin = c.attr<Ints>("begin");
  const Ints& end = c.attr<Ints>("end");
  const Ints& strides = c.attr<Ints>("strides");
  if (begin.size() != end.size() || begin.size() != strides.size() ||
      (x.rank_known() && begin.size() > static_cast<size_t>(x.rank()))) {
    return c.Error(
        StrCat(c.Describe(0), ", begin, end and strides have ", begin.size(),
               ", ", end.size(), " and ", strides.size(),
               " entries; wanted equally many, at most one per axis"));
  }
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] == 0) {
      return c.Error(StrCat("strides[", i, "] is 0; wanted a step"));
    }
  }
  if (!x.rank_known()) return OkStatus();
  PartialShape out = x;
  for (size_t i = 0; i < begin.size(); ++i) {
    int axis = static_cast<int>(i);
    out.set_dim(axis,
                x[axis] < 0
                    ? kUnknownDim
                    : CutAxis(x[axis], begin[i], end[i], strides[i]).count);
  }
  c.set_out(0, out);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  const Array& x = ctx.in(0);
  const Ints& begin = ctx.attr<Ints>("begin");
  const Ints& end = ctx.attr<Ints>("end");
  const Ints& steps = ctx.attr<Ints>("strides");
  if (begin.size() > static_cast<size_t>(x.rank()) ||
      end.size() != begin.size() || steps.size() != begin.size()) {
    return false;
  }
  Ints dims(x.shape().dims().begin(), x.shape().dims().end());
  Strides strides = x.strides();
  int64_t offset = 0;
  bool empty = x.num_elements() == 0;
  for (size_t i = 0; i < begin.size(); ++i) {
    if (steps[i] == 0) return false;
    Cut cut = CutAxis(dims[i], begin[i], end[i], steps[i]);
    dims[i] = cut.count;
    empty = empty || cut.count == 0;
    if (empty) continue;
    offset += cut.first * strides[i];
    // A step larger than the axis is never taken, and could overflow.
    strides[i] = cut.count == 1 ? strides[i] : strides[i] * steps[i];
  }
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return false;
  *view = empty ? Array::View(x, 0, *shape, ContiguousStrides(*shape))
                : Array::View(x, offset, *shape, strides);
  return true;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Ints& begin = attrs.get<Ints>("begin");
  const Ints& end = attrs.get<Ints>("end");
  const Ints& steps = attrs.get<Ints>("strides");
  std::vector<Ints> picks;
  Ints dims;
  for (int axis = 0; axis < in[0].shape.rank(); ++axis) {
    auto i = static_cast<size_t>(axis);
    int64_t n = in[0].shape.dim(axis);
    Ints pick;
    if (i >= begin.size()) {
      for (int64_t k = 0; k < n; ++k) pick.push_back(k);
    } else {
      int64_t b = begin[i] < 0 ? begin[i] + n : begin[i];
      int64_t e = end[i] < 0 ? end[i] + n : end[i];
      if (steps[i] > 0) {
        for (int64_t k = std::max<int64_t>(b, 0); k < e && k < n;
             k += steps[i]) {
          pick.push_back(k);
        }
      } else {
        for (int64_t k = std::min(b, n - 1); k > e && k >= 0; k += steps[i]) {
          pick.push_back(k);
        }
      }
    }
    dims.push_back(static_cast<int64_t>(pick.size()));
    picks.push_back(pick);
  }
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    for (size_t i = 0; i < index.size(); ++i) {
      index[i] = picks[i][static_cast<size_t>(index[i])];
    }
    return ref::At(in[0], index);
  })};
}

Attrs Cuts(Ints begin, Ints end, Ints strides) {
  return {{"begin", begin}, {"end", end}, {"strides", strides}};
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
