#include "sluice/op/batch_rules.h"
#include "sluice/ops/array/along_axis.h"
#include "sluice/ops/array/array_grad.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape out, along_axis::CheckShapes(c));
  c.set_out(0, out);
  return OkStatus();
}

template <class T, class I>
void Take(const AxisView& v, int64_t count, const T* x, const I* index, T* y,
          WorkerPool* pool) {
  // Rows of `inner` neighbours: index, result and (at a distance) source.
  int64_t rows = v.outer * count;
  ParallelFor(pool, rows, std::max<int64_t>(1, (1 << 14) / v.inner),
              [&](int64_t begin, int64_t end) {
                if (v.inner == 1) {
                  while (begin < end) {
                    int64_t o = begin / count;
                    int64_t last = std::min(end, (o + 1) * count);
                    const T* from = x + o * v.size;
                    for (; begin < last; ++begin) y[begin] = from[index[begin]];
                  }
                  return;
                }
                for (int64_t r = begin; r < end; ++r) {
                  const T* from = x + r / count * v.size * v.inner;
                  const I* at = index + r * v.inner;
                  T* to = y + r * v.inner;
                  for (int64_t k = 0; k < v.inner; ++k) {
                    to[k] = from[at[k] * v.inner + k];
                  }
                }
              });
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &indices = ctx.in(1), &y = ctx.out(0);
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  AxisView w(indices.shape(), ctx.attr<int64_t>("axis"));
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 1, v.size));
  if (y.num_elements() == 0) return OkStatus();
  DispatchIndex(indices.dtype(), [&]<class I>() {
    auto take = [&]<class T>() {
      Take(v, w.size, static_cast<const T*>(x.raw()), indices.data<I>(),
           static_cast<T*>(y.mutable_raw()), ctx.step().pool);
    };
    if (!DispatchBySize(x.dtype(), take)) {
      take.template operator()<std::string>();
    }
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto axis = static_cast<size_t>(
      ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank()));
  return {ref::Build(in[1].shape, [&](Ints index) {
    index[axis] = static_cast<int64_t>(ref::At(in[1], index));
    return ref::At(in[0], index);
  })};
}

}  // namespace

SL_OP(TakeAlong)
    .doc(
        "Elements of x picked along an axis: y[i][j][k] = x[i][indices[i][j]"
        "[k]][k] for axis 1. What ArgSort and TopK give picks this way.")
    .input("x: T")
    .input("indices: I")
    .output("y: T")
    .types("T", kAnyData)
    .types("I", kIndices)
    .attr("axis", -1, "The axis that indices count along.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("PutAlong", {ZerosAs(g, g.in(0)), g.in(1), g.dy()},
                         {{"axis", g.attr<int64_t>("axis")}, {"mode", "add"}}));
    })
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .reference(Reference)
    .samples(
        {{.in = {{5}, {3}}, .lo = 0, .hi = 4},
         {.in = {{4, 3}, {4, 6}}, .lo = 0, .hi = 2},
         {.in = {{4, 3}, {2, 3}}, .attrs = {{"axis", 0}}, .lo = 0, .hi = 3},
         {.in = {{2, 4, 3}, {2, 5, 3}},
          .attrs = {{"axis", -2}},
          .lo = 0,
          .hi = 3},
         {.in = {{3}, {0}}},
         {.in = {{0, 3}, {0, 3}}, .lo = 0, .hi = 2},
         {.in = {{3, 2}, {3, 0}}},
         {.in = {{70, 50}, {70, 400}},
          .lo = 0,
          .hi = 49,
          .only = {DType::kF32, DType::kF64, DType::kI8}},
         {.in = {{50, 70}, {400, 70}},
          .attrs = {{"axis", 0}},
          .lo = 0,
          .hi = 49,
          .only = {DType::kF32, DType::kF64, DType::kI8}}})
    .rejects(
        {{.in = {{3}, Array::Vector<int64_t>({0, 3})},
          .message = "[TakeAlong] indices[1] is 3; wanted 0 <= index < 3"},
         {.in = {{3}, Array::Vector<int32_t>({-1})},
          .message = "[TakeAlong] indices[0] is -1; wanted 0 <= index < 3"},
         {.in = {{3}, Array::Vector<int64_t>({INT64_MIN})},
          .message = "[TakeAlong] indices[0] is -9223372036854775808; "},
         {.in = {{3, 2}, Array::Zeros(DType::kI64, {2, 4})},
          .message = "[TakeAlong] x is f32[3,2], indices is i64[2,4]; wanted "
                     "equal sizes but on axis 1"},
         {.in = {{3, 2}, Array::Zeros(DType::kI64, {2})},
          .message = "[TakeAlong] x is f32[3,2], indices is i64[2]; wanted"},
         {.in = {Shape(), Array::Scalar<int64_t>(0)},
          .message = "[TakeAlong] x is f32[]; wanted rank 1 or more"},
         {.in = {{3}, Array::Vector<int64_t>({0})},
          .attrs = {{"axis", 1}},
          .message = "[TakeAlong] axis 1 is out of range"}});

}  // namespace sluice
