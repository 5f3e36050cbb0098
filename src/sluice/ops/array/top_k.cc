#include "sluice/base/strings.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/face.h"
#include "sluice/ops/array/array_grad.h"
#include "sluice/ops/array/sort_axis.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  int64_t k = c.attr<int64_t>("k");
  if (x[axis] >= 0 && k > x[axis]) {
    return c.Error(StrCat(c.Describe(0), ", k is ", k, "; wanted at most ",
                          x[axis], ", the size of axis ", axis));
  }
  Ints dims(x.dims().begin(), x.dims().end());
  dims[static_cast<size_t>(axis)] = k;
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  c.set_out(1, out);
  return OkStatus();
}

struct Parts {
  int64_t rows, values, places;
  Parts(const sort_axis::Rows& r, int64_t k)
      : rows(r.Bytes(r.job.n, DTypeSize(r.job.dtype))),
        values(r.Bytes(k, DTypeSize(r.job.dtype))),
        places(r.Bytes(k, 8)) {}
};

int64_t Workspace(const ShapeContext& c) {
  if (!c.in(0).fully_known()) return 0;
  sort_axis::Rows r(c.in(0).ToShape(), c.in_dtype(0), c.attrs(), false);
  Parts parts(r, c.attr<int64_t>("k"));
  return SortBytes(r.job) + parts.rows + parts.values + parts.places;
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  WorkerPool* pool = ctx.step().pool;
  sort_axis::Rows r(x.shape(), x.dtype(), ctx.attrs(),
                    ctx.attr<bool>("largest"));
  int64_t k = ctx.attr<int64_t>("k");
  Parts parts(r, k);
  auto* lines = static_cast<char*>(ctx.workspace());
  const void* from = sort_axis::Gather(r, x, lines, pool);
  lines += parts.rows;
  void* values = sort_axis::Target(r, ctx.out(0), lines);
  lines += parts.values;
  void* places = sort_axis::Target(r, ctx.out(1), lines);
  lines += parts.places;
  SelectTop(r.job, k, ctx.attr<bool>("sorted"), from, values,
            static_cast<int64_t*>(places), lines, pool);
  sort_axis::Spread(r, k, values, ctx.out(0), pool);
  sort_axis::Spread(r, k, places, ctx.out(1), pool);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t axis = attrs.get<int64_t>("axis");
  bool largest = attrs.get<bool>("largest");
  Ints dims = ref::DimsOf(in[0].shape);
  dims[static_cast<size_t>(ref::Axis(axis, in[0].shape.rank()))] =
      attrs.get<int64_t>("k");
  Shape to = ref::MakeShape(dims);
  return {sort_axis::Reference(in[0], to, axis, largest,
                               [](size_t, double v) { return v; }),
          sort_axis::Reference(in[0], to, axis, largest, [](size_t i, double) {
            return static_cast<double>(i);
          })};
}

Attrs K(int64_t k, int64_t axis = -1, bool largest = true) {
  return {{"k", k}, {"axis", axis}, {"largest", largest}};
}

}  // namespace

SL_OP(TopK)
    .doc(
        "The k largest (or smallest) elements along an axis, and their indices "
        "there. Of equal elements the earlier is taken, and NaN counts as "
        "larger than every number.")
    .input("x: T")
    .output("values: T")
    .output("indices: i64")
    .types("T", sort_axis::kSortable)
    .attr("k", AttrKind::kInt, "How many.")
    .between(0, kMaxElements)
    .attr("axis", -1, "The axis to look along.")
    .attr("largest", true, "The largest; else the smallest.")
    .attr("sorted", true, "Best first; else in any order.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("PutAlong", {ZerosAs(g, g.in(0)), g.out(1), g.dy()},
                         {{"axis", g.attr<int64_t>("axis")}, {"mode", "add"}}));
    })
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .reference(Reference)
    .samples({{.in = {{7}}, .attrs = K(3)},
              {.in = {{4, 9}}, .attrs = K(2), .lo = 0, .hi = 5},
              {.in = {{9, 4}}, .attrs = K(3, 0, false)},
              {.in = {{2, 6, 3}}, .attrs = K(6, 1)},
              {.in = {sort_axis::Specials()}, .attrs = K(6)},
              {.in = {sort_axis::Specials()}, .attrs = K(5, 0, false)},
              {.in = {{3, 600}}, .attrs = K(10), .lo = -50, .hi = 50},
              {.in = {{3, 600}}, .attrs = K(100, -1, false), .lo = -9, .hi = 9},
              {.in = {{2, 600}}, .attrs = K(300), .lo = -50, .hi = 50},
              {.in = {{700, 3}},
               .attrs = K(12, 0),
               .only = {DType::kF32, DType::kF64}},
              {.in = {{5, 1}}, .attrs = K(1)},
              {.in = {{5}}, .attrs = K(0)},
              {.in = {{0, 4}}, .attrs = K(2)},
              {.in = {{4, 0}}, .attrs = K(0)},
              // A single element has only one order.
              {.in = {{300}}, .attrs = {{"k", 1}, {"sorted", false}}}})
    .rejects({{.in = {{3}},
               .attrs = K(4),
               .message = "[TopK] x is f32[3], k is 4; wanted at most 3, the "
                          "size of axis 0"},
              {.in = {Shape()},
               .attrs = K(1),
               .message = "[TopK] x is f32[]; wanted rank 1 or more"},
              {.in = {{3}},
               .attrs = K(1, 2),
               .message = "[TopK] axis 2 is out of range"}});
SL_FACE(TopK).keeps({DType::kBool});

}  // namespace sluice
