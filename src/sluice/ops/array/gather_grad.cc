#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/convert.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/cpu/scatter.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape out, ShapeFromInput(c, 2));
  c.set_out(0, out);
  if (!out.rank_known()) return OkStatus();
  if (out.rank() == 0) {
    return c.Error(StrCat("shape is ", out, "; wanted rank 1 or more"));
  }
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), out.rank()));
  const PartialShape& indices = c.in(1);
  if (!indices.rank_known()) return OkStatus();
  Ints dims(out.dims().begin(), out.dims().begin() + axis);
  dims.insert(dims.end(), indices.dims().begin(), indices.dims().end());
  dims.insert(dims.end(), out.dims().begin() + axis + 1, out.dims().end());
  SL_ASSIGN_OR_RETURN(PartialShape wanted, MakeOutShape(c, dims));
  if (!MergeShapes(wanted, c.in(0)).ok()) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1), ", shape is ",
                          out, "; wanted dy of shape ", wanted));
  }
  return OkStatus();
}

bool IsHalf(DType t) { return t == DType::kF16 || t == DType::kBF16; }

int64_t Workspace(const ShapeContext& c) {
  if (!c.out(0).fully_known() || !IsHalf(c.in_dtype(0))) return 0;
  return std::min(c.out(0).ToShape().num_elements(), kMaxElements / 4) * 4;
}

Status Launch(KernelContext& ctx) {
  const Array &dy = ctx.in(0), &indices = ctx.in(1), &dx = ctx.out(0);
  AxisView v(dx.shape(), ctx.attr<int64_t>("axis"));
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 1, v.size));
  if (dx.num_elements() == 0) return OkStatus();
  WorkerPool* pool = ctx.step().pool;
  RowScatter job{.op = ScatterOp::kAdd, .dtype = dx.dtype()};
  job.outer = v.outer;
  job.rows = v.size;
  job.inner = v.inner;
  job.count = indices.num_elements();
  bool wide = IsHalf(dx.dtype());
  void* sums = wide ? ctx.workspace() : dx.mutable_raw();
  if (wide) {
    job.dtype = DType::kF32;
    job.update_dtype = dx.dtype();
  }
  FillElements(job.dtype, ElementOf(0, job.dtype).bytes, dx.num_elements(),
               sums, pool);
  ScatterRows(job, sums, indices.dtype(), indices.raw(), dy.raw(), pool);
  if (!wide) return OkStatus();
  BlockKernel convert = ConvertBlock(DType::kF32, dx.dtype());
  auto* from = static_cast<const float*>(sums);
  auto* to = static_cast<char*>(dx.mutable_raw());
  ParallelFor(pool, dx.num_elements(), 1 << 15,
              [&](int64_t begin, int64_t end) {
                const void* some[] = {from + begin};
                convert.fn(to + begin * 2, some, end - begin, convert.params);
              });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  Ints dims(in[2].v.begin(), in[2].v.end());
  RefArray dx = ref::Build(ref::MakeShape(dims), [](const Ints&) { return 0; });
  int axis = ref::Axis(attrs.get<int64_t>("axis"), dx.shape.rank());
  ref::ForEach(in[0].shape, [&](const Ints& index) {
    auto first = index.begin() + axis, last = first + in[1].shape.rank();
    Ints at(index.begin(), first);
    at.push_back(static_cast<int64_t>(ref::At(in[1], Ints(first, last))));
    at.insert(at.end(), last, index.end());
    dx.v[static_cast<size_t>(ref::Flat(dx.shape, at))] += ref::At(in[0], index);
  });
  return {dx};
}

Array To(std::initializer_list<int64_t> dims) {
  return Array::Vector<int64_t>(dims);
}
constexpr DTypeSet kFew{DType::kF32, DType::kBF16, DType::kF16, DType::kI64};

bool Batched(BatchContext& b) {
  int rank = b.rank_out(), picked = b.rank(1);
  if (b.batched(2) || rank < 1 || picked < 0) return false;
  RuleVar shape = b.lanes_and(b.in(2));
  if (!b.batched(1)) {
    return b.set_all({b.full(0), b.in(1), shape}, b.shifted_axis(rank));
  }
  int64_t axis = b.attr<int64_t>("axis");
  if (axis != 0 && axis != -rank) return false;
  RuleVar tuples = batch_rules::with_lane_numbers(
      b, b.expand(b.in(1), picked + 1), picked + 1);
  b.set(0, b.call("ScatterNd", {tuples, b.full(0), shape}));
  return true;
}

}  // namespace

SL_OP(GatherGrad)
    .doc(
        "The gradient of Gather: an array of zeros of the given shape to whose "
        "slices along an axis those of dy are added, in order, where indices "
        "say. Halves are summed in float.")
    .input("dy: T")
    .input("indices: I")
    .input("shape: i64")
    .output("dparams: T")
    .types("T", kNumbers)
    .types("I", kIndices)
    .attr("axis", 0, "The axis that was picked from.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("Gather", {g.dy(), g.in(1)}, g.attrs()));
    })
    .batch(Batched)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .linear(Linear::kInFirst)
    .internal()
    .tolerance(1e-5)
    .reference(Reference)
    .samples({{.in = {{3}, {3}, To({5})}, .lo = 0, .hi = 4},
              {.in = {{2, 2, 3}, {2, 2}, To({4, 3})}, .lo = 0, .hi = 3},
              {.in = {{2, 5, 3}, {5}, To({2, 4, 3})},
               .attrs = {{"axis", 1}},
               .lo = 0,
               .hi = 3},
              {.in = {{2}, Shape(), To({2, 4})},
               .attrs = {{"axis", -1}},
               .lo = 0,
               .hi = 3},
              {.in = {{0}, {0}, To({3})}},
              {.in = {{0, 3}, {0}, To({0, 3})}},
              {.in = {{2, 0}, {2}, To({3, 0})}, .lo = 0, .hi = 2},
              // Halves that are rounded each time get no further than 2048.
              {.in = {{5000}, {5000}, To({2})},
               .lo = 1,
               .hi = 1,
               .only = {DType::kF32, DType::kBF16, DType::kF16}},
              {.in = {{300, 64}, {300}, To({100, 64})},
               .lo = 0,
               .hi = 99,
               .only = kFew},
              {.in = {{3, 400, 2}, {400}, To({3, 50, 2})},
               .attrs = {{"axis", 1}},
               .lo = 0,
               .hi = 49,
               .only = kFew}})
    .rejects(
        {{.in = {{2}, Array::Vector<int64_t>({0, 3}), To({3})},
          .message = "[GatherGrad] indices[1] is 3; wanted 0 <= index < 3"},
         {.in = {{1}, Array::Vector<int32_t>({-1}), To({3})},
          .message = "[GatherGrad] indices[0] is -1; wanted 0 <= index < 3"},
         {.in = {{3}, Array::Vector<int64_t>({0, 1}), To({3})},
          .message = "[GatherGrad] dy is f32[3], indices is i64[2], shape is "
                     "[3]; wanted dy of shape [2]"},
         {.in = {{1}, Array::Vector<int64_t>({0}), To({})},
          .message = "[GatherGrad] shape is []; wanted rank 1 or more"},
         {.in = {{1}, Array::Vector<int64_t>({0}), To({3})},
          .attrs = {{"axis", 1}},
          .message = "[GatherGrad] axis 1 is out of range"},
         {.in = {{1}, Array::Vector<int64_t>({0}), To({-3})},
          .message = "[GatherGrad] shape[0] is -3; wanted a size"},
         {.in = {{1}, Array::Vector<int64_t>({0}), To({kMaxElements})},
          .message = "out of memory"}});

}  // namespace sluice
