#include <algorithm>
#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape &params = c.in(0), &indices = c.in(1);
  if (!params.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), params.rank()));
  if (!indices.rank_known()) return OkStatus();
  Ints dims;
  for (int i = 0; i < params.rank(); ++i) {
    if (i != axis) {
      dims.push_back(params[i]);
    } else {
      dims.insert(dims.end(), indices.dims().begin(), indices.dims().end());
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

template <class I>
Status CheckIndices(KernelContext& ctx, int64_t bound) {
  const I* index = ctx.in(1).data<I>();
  for (int64_t i = 0; i < ctx.in(1).num_elements(); ++i) {
    if (index[i] < 0 || index[i] >= bound) {
      return ctx.Error(StrCat("indices[", i, "] is ", int64_t{index[i]},
                              "; wanted 0 <= index < ", bound));
    }
  }
  return OkStatus();
}

// Rows of `inner` elements, plain or strings.
template <class I>
void CopyRows(KernelContext& ctx, const AxisView& v) {
  const Array &params = ctx.in(0), &out = ctx.out(0);
  const I* index = ctx.in(1).data<I>();
  int64_t count = ctx.in(1).num_elements();
  bool strings = params.dtype() == DType::kString;
  int64_t row = v.inner * DTypeSize(params.dtype());
  const char* from = static_cast<const char*>(params.raw());
  char* to = static_cast<char*>(out.mutable_raw());
  int64_t grain = std::max<int64_t>(1, (1 << 16) / std::max<int64_t>(row, 1));
  ParallelFor(
      ctx.step().pool, v.outer * count, grain, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          int64_t source = r / count * v.size + index[r % count];
          if (strings) {
            std::copy_n(params.data<std::string>() + source * v.inner, v.inner,
                        out.mutable_data<std::string>() + r * v.inner);
          } else {
            std::memcpy(to + r * row, from + source * row,
                        static_cast<size_t>(row));
          }
        }
      });
}

Status Launch(KernelContext& ctx) {
  AxisView v(ctx.in(0).shape(), ctx.attr<int64_t>("axis"));
  Status status;
  DispatchIndex(ctx.in(1).dtype(), [&]<class I>() {
    status = CheckIndices<I>(ctx, v.size);
    if (status.ok() && ctx.out(0).num_elements() > 0) CopyRows<I>(ctx, v);
  });
  return status;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Shape &params = in[0].shape, &indices = in[1].shape;
  int axis = ref::Axis(attrs.get<int64_t>("axis"), params.rank());
  Ints dims = ref::DimsOf(params), middle = ref::DimsOf(indices);
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, middle.begin(), middle.end());
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    auto first = index.begin() + axis, last = first + indices.rank();
    double at = ref::At(in[1], Ints(first, last));
    index.erase(first, last);
    index.insert(index.begin() + axis, static_cast<int64_t>(at));
    return ref::At(in[0], index);
  })};
}

}  // namespace

SL_OP(Gather)
    .doc("Slices of params along an axis, picked by indices.")
    .input("params: T")
    .input("indices: I")
    .output("y: T")
    .types("T", kAnyData)
    .types("I", kIndices)
    .attr("axis", 0, "The axis of params to pick from.")
    .shape(Infer)
    .cpu(Launch)
    .reference(Reference)
    .samples(
        {{.in = {{5}, {3}}, .lo = 0, .hi = 4},
         {.in = {{4, 3}, {2, 2}}, .lo = 0, .hi = 3},
         {.in = {{2, 4, 3}, {5}}, .attrs = {{"axis", 1}}, .lo = 0, .hi = 3},
         {.in = {{2, 4}, Shape()}, .attrs = {{"axis", -1}}, .lo = 0, .hi = 3},
         {.in = {{3}, {0}}},
         {.in = {{0, 3}, {0}}},
         {.in = {{0, 3}, {2}}, .attrs = {{"axis", 1}}, .lo = 0, .hi = 2}})
    .rejects({{.in = {{3}, Array::Vector<int64_t>({0, 3})},
               .message = "[Gather] indices[1] is 3; wanted 0 <= index < 3"},
              {.in = {{3}, Array::Vector<int32_t>({-1})},
               .message = "[Gather] indices[0] is -1; wanted 0 <= index < 3"},
              {.in = {{0, 2}, Array::Vector<int64_t>({0})},
               .message = "[Gather] indices[0] is 0; wanted 0 <= index < 0"},
              {.in = {Shape(), Array::Vector<int64_t>({0})},
               .message = "[Gather] params is f32[]; wanted rank 1 or more"},
              {.in = {{3}, {2}},
               .message = "[Gather] indices is f32; wanted one of i32 i64"},
              {.in = {{3}, Array::Vector<int64_t>({0})},
               .attrs = {{"axis", 1}},
               .message = "[Gather] axis 1 is out of range"},
              {.in = {{1, 1, 1, 1, 1, 1, 1, 1},
                      Array::Zeros(DType::kI64, {1, 1})},
               .message = "[Gather] rank 9 is too large"}});

}  // namespace sluice
