#include "sluice/kernels/cpu/scatter.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/face.h"
#include "sluice/ops/array/along_axis.h"
#include "sluice/ops/sparse/scatter_grad.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape wanted, along_axis::CheckShapes(c));
  if (!MergeShapes(wanted, c.in(2)).ok()) {
    return c.Error(StrCat(c.Describe(1), ", ", c.Describe(2),
                          "; wanted values of shape ", wanted));
  }
  c.set_out(0, c.in(0));
  return OkStatus();
}

ScatterOp OpOf(const Attrs& attrs) {
  const auto& mode = attrs.get<std::string>("mode");
  if (mode == "add") return ScatterOp::kAdd;
  if (mode == "mul") return ScatterOp::kMul;
  if (mode == "min") return ScatterOp::kMin;
  return mode == "max" ? ScatterOp::kMax : ScatterOp::kUpdate;
}

// Outer slices do not meet, and within a slice columns do not; so threads may
// share either, and every element gets its values in order.
template <class I>
void Put(const AxisView& v, int64_t count, ScatterElementsFn put,
         int64_t size_of, const I* index, const char* values, char* y,
         WorkerPool* pool) {
  constexpr int64_t kBlock = 256;
  auto some = [&](int64_t o, int64_t first, int64_t last) {
    char* to = y + o * v.size * v.inner * size_of;
    int64_t at[kBlock];
    auto run = [&](int64_t begin, int64_t n, int64_t column, int64_t step) {
      for (int64_t k = 0; k < n; ++k) {
        at[k] = index[begin + k] * v.inner + column + k * step;
      }
      put(to, at, values + begin * size_of, n);
    };
    if (v.inner == 1) {
      if constexpr (std::is_same_v<I, int64_t>) {
        return put(to, index + o * count, values + o * count * size_of, count);
      }
      for (int64_t i = 0; i < count; i += kBlock) {
        run(o * count + i, std::min(kBlock, count - i), 0, 0);
      }
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t k = first; k < last; k += kBlock) {
        run((o * count + i) * v.inner + k, std::min(kBlock, last - k), k, 1);
      }
    }
  };
  int64_t each = std::max<int64_t>(1, count * v.inner);
  constexpr int64_t kColumns = 64;
  if (v.outer < 4 && v.inner >= 2 * kColumns) {
    for (int64_t o = 0; o < v.outer; ++o) {
      ParallelFor(pool, v.inner, kColumns,
                  [&](int64_t begin, int64_t end) { some(o, begin, end); });
    }
    return;
  }
  ParallelFor(pool, v.outer, std::max<int64_t>(1, (1 << 14) / each),
              [&](int64_t begin, int64_t end) {
                for (int64_t o = begin; o < end; ++o) some(o, 0, v.inner);
              });
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &indices = ctx.in(1), &y = ctx.out(0);
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  AxisView w(indices.shape(), ctx.attr<int64_t>("axis"));
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 1, v.size));
  if (y.raw() != x.raw()) CopyStrided(x, y, ctx.step().pool);
  if (indices.num_elements() == 0) return OkStatus();
  ScatterElementsFn put = PickScatterElements(OpOf(ctx.attrs()), x.dtype());
  if (!put) return ctx.Error("no kernel for this type");
  DispatchIndex(indices.dtype(), [&]<class I>() {
    Put(v, w.size, put, DTypeSize(x.dtype()), indices.data<I>(),
        static_cast<const char*>(ctx.in(2).raw()),
        static_cast<char*>(y.mutable_raw()), ctx.step().pool);
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto axis = static_cast<size_t>(
      ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank()));
  const auto& mode = attrs.get<std::string>("mode");
  RefArray y = in[0];
  ref::ForEach(in[1].shape, [&](const Ints& index) {
    Ints at = index;
    at[axis] = static_cast<int64_t>(ref::At(in[1], index));
    double& e = y.v[static_cast<size_t>(ref::Flat(y.shape, at))];
    double u = ref::At(in[2], index);
    if (mode == "update") e = u;
    if (mode == "add") e += u;
    if (mode == "mul") e *= u;
    if (mode == "min") e = std::min(e, u);
    if (mode == "max") e = std::max(e, u);
  });
  return {y};
}

Attrs Mode(const char* mode, int64_t axis = -1) {
  return {{"mode", mode}, {"axis", axis}};
}

}  // namespace

SL_OP(PutAlong)
    .doc(
        "x with values put in along an axis, in order: for axis 1, element "
        "[i][indices[i][j][k]][k] is set to values[i][j][k] (mode update), or "
        "that is added to it, multiplied with it, or the smaller or larger of "
        "the two is kept.")
    .input("x: T")
    .input("indices: I")
    .input("values: T")
    .output("y: T")
    .types("T", kReals)
    .types("I", kIndices)
    .attr("axis", -1, "The axis that indices count along.")
    .attr("mode", "update", "What a value does to the element it meets.")
    .one_of({"update", "add", "mul", "min", "max"})
    .shape(Infer)
    .grad([](GradContext& g) {
      scatter_grad::Family along = scatter_grad::Along(g);
      const auto& mode = g.attr<std::string>("mode");
      if (mode == "update") return scatter_grad::SetRule(g, along);
      if (mode == "add") return scatter_grad::AddRule(g, along);
      if (mode == "mul") return scatter_grad::MulRule(g, along);
      scatter_grad::ExtremeRule(g, along);
    })
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .in_place()
    .tolerance(1e-4)
    .reference(Reference)
    .samples({{.in = {{5}, {3}, {3}}, .lo = 0, .hi = 4},
              {.in = {{4, 3}, {4, 6}, {4, 6}},
               .attrs = Mode("add"),
               .lo = 0,
               .hi = 2},
              {.in = {{4, 3}, {2, 3}, {2, 3}},
               .attrs = Mode("mul", 0),
               .lo = 0,
               .hi = 3},
              {.in = {{2, 4, 3}, {2, 5, 3}, {2, 5, 3}},
               .attrs = Mode("min", 1),
               .lo = 0,
               .hi = 3},
              {.in = {{2, 4, 3}, {2, 5, 3}, {2, 5, 3}},
               .attrs = Mode("max", -2),
               .lo = 0,
               .hi = 3},
              {.in = {Array::Vector<double>({2, 3, 0}),
                      Array::Vector<int64_t>({0, 1, 1, 1, 2}),
                      Array::Vector<double>({0, 4, 0, 0.5, 3})},
               .attrs = Mode("mul")},
              {.in = {{3}, {0}, {0}}, .attrs = Mode("add")},
              {.in = {{0, 3}, {0, 3}, {0, 3}}, .lo = 0, .hi = 2},
              {.in = {{90, 40}, {90, 300}, {90, 300}},
               .attrs = Mode("add"),
               .lo = 0,
               .hi = 39,
               .only = {DType::kF64, DType::kI64}},
              {.in = {{40, 300}, {90, 300}, {90, 300}},
               .attrs = Mode("add", 0),
               .lo = 0,
               .hi = 39,
               .only = {DType::kF64, DType::kI64}}})
    .rejects(
        {{.in = {{3}, Array::Vector<int64_t>({0, 3}), {2}},
          .message = "[PutAlong] indices[1] is 3; wanted 0 <= index < 3"},
         {.in = {{3}, Array::Vector<int32_t>({-1}), {1}},
          .attrs = Mode("add"),
          .message = "[PutAlong] indices[0] is -1; wanted 0 <= index < 3"},
         {.in = {{3, 2}, Array::Zeros(DType::kI64, {2, 4}), {2, 4}},
          .message = "[PutAlong] x is f32[3,2], indices is i64[2,4]; wanted "
                     "equal sizes but on axis 1"},
         {.in = {{3}, Array::Zeros(DType::kI64, {2}), {3}},
          .message = "[PutAlong] indices is i64[2], values is f32[3]; wanted "
                     "values of shape [2]"},
         {.in = {Shape(), Array::Scalar<int64_t>(0), Shape()},
          .message = "[PutAlong] x is f32[]; wanted rank 1 or more"}});
SL_FACE(PutAlong).keeps({DType::kBool});

}  // namespace sluice
