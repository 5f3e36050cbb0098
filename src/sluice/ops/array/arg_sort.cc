#include "sluice/op/batch_rules.h"
#include "sluice/ops/array/sort_axis.h"

namespace sluice {
namespace {

struct Parts {
  int64_t rows, places;  // bytes brought together, and of indices
  explicit Parts(const sort_axis::Rows& r)
      : rows(r.Bytes(r.job.n, DTypeSize(r.job.dtype))),
        places(r.Bytes(r.job.n, 8)) {}
};

int64_t Workspace(const ShapeContext& c) {
  if (!c.in(0).fully_known()) return 0;
  sort_axis::Rows r(c.in(0).ToShape(), c.in_dtype(0), c.attrs(), false);
  Parts parts(r);
  return SortBytes(r.job) + parts.rows + parts.places;
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  WorkerPool* pool = ctx.step().pool;
  sort_axis::Rows r(x.shape(), x.dtype(), ctx.attrs(),
                    ctx.attr<bool>("descending"));
  Parts parts(r);
  auto* lines = static_cast<char*>(ctx.workspace());
  const void* from = sort_axis::Gather(r, x, lines, pool);
  void* to = sort_axis::Target(r, y, lines + parts.rows);
  ArgSort(r.job, from, static_cast<int64_t*>(to),
          lines + parts.rows + parts.places, pool);
  sort_axis::Spread(r, r.job.n, to, y, pool);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  return {sort_axis::Reference(
      in[0], in[0].shape, attrs.get<int64_t>("axis"),
      attrs.get<bool>("descending"),
      [](size_t i, double) { return static_cast<double>(i); })};
}

}  // namespace

SL_OP(ArgSort)
    .doc(
        "The indices along an axis that put x in order. Equal elements keep "
        "their order, and NaN counts as larger than every number. TakeAlong "
        "picks by them.")
    .input("x: T")
    .output("y: i64")
    .types("T", sort_axis::kSortable)
    .attr("axis", -1, "The axis to sort along.")
    .attr("descending", false, "Largest first.")
    .shape(sort_axis::shape)
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .reference(Reference)
    .samples({{.in = {{7}}},
              {.in = {{9}}, .attrs = {{"descending", true}}, .lo = 0, .hi = 3},
              {.in = {{3, 5}}, .lo = -100, .hi = 100},
              {.in = {{5, 3}}, .attrs = {{"axis", 0}}},
              {.in = {{2, 6, 3}},
               .attrs = {{"axis", -2}, {"descending", true}}},
              {.in = {sort_axis::Specials()}},
              {.in = {sort_axis::Specials()}, .attrs = {{"descending", true}}},
              {.in = {{3, 150}}, .lo = -20, .hi = 20},
              {.in = {{3000}},
               .attrs = {{"descending", true}},
               .lo = -1e3,
               .hi = 1e3,
               .only = {DType::kF32, DType::kF64, DType::kI64, DType::kI32}},
              {.in = {{130, 40}},
               .attrs = {{"axis", 0}},
               .only = {DType::kF32, DType::kF64, DType::kI8}},
              {.in = {{0, 3}}},
              {.in = {{3, 0}}},
              {.in = {{3, 1}}}})
    .rejects({{.in = {Shape()},
               .message = "[ArgSort] x is f32[]; wanted rank 1 or more"},
              {.in = {{2}},
               .attrs = {{"axis", -2}},
               .message = "[ArgSort] axis -2 is out of range"}});

}  // namespace sluice
