#include "sluice/op/batch_rules.h"
#include "sluice/op/face.h"
#include "sluice/ops/array/array_grad.h"
#include "sluice/ops/array/sort_axis.h"

namespace sluice {
namespace {

int64_t Workspace(const ShapeContext& c) {
  if (!c.in(0).fully_known()) return 0;
  sort_axis::Rows r(c.in(0).ToShape(), c.in_dtype(0), c.attrs(), false);
  return SortBytes(r.job) + r.Bytes(r.job.n, DTypeSize(c.in_dtype(0)));
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  WorkerPool* pool = ctx.step().pool;
  sort_axis::Rows r(x.shape(), x.dtype(), ctx.attrs(),
                    ctx.attr<bool>("descending"));
  auto* lines = static_cast<char*>(ctx.workspace());
  char* scratch = lines + r.Bytes(r.job.n, DTypeSize(x.dtype()));
  const void* from = sort_axis::Gather(r, x, lines, pool);
  void* to = sort_axis::Target(r, y, lines);
  Sort(r.job, from, to, scratch, pool);
  sort_axis::Spread(r, r.job.n, to, y, pool);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  return {sort_axis::Reference(in[0], in[0].shape, attrs.get<int64_t>("axis"),
                               attrs.get<bool>("descending"),
                               [](size_t, double v) { return v; })};
}

}  // namespace

SL_OP(Sort)
    .doc(
        "x with its elements along an axis in order. NaN counts as larger than "
        "every number. ArgSort gives the places they came from.")
    .input("x: T")
    .output("y: T")
    .types("T", sort_axis::kSortable)
    .attr("axis", -1, "The axis to sort along.")
    .attr("descending", false, "Largest first.")
    .shape(sort_axis::shape)
    .grad([](GradContext& g) {
      GradVar from = g.call("ArgSort", {g.in(0)}, g.attrs());
      g.set_dx(0, g.call("PutAlong", {ZerosAs(g, g.in(0)), from, g.dy()},
                         {{"axis", g.attr<int64_t>("axis")}, {"mode", "add"}}));
    })
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .in_place()
    .reference(Reference)
    .samples({{.in = {{7}}},
              {.in = {{7}}, .attrs = {{"descending", true}}},
              {.in = {{3, 5}}, .lo = -100, .hi = 100},
              {.in = {{5, 3}}, .attrs = {{"axis", 0}}},
              {.in = {{2, 6, 3}},
               .attrs = {{"axis", -2}, {"descending", true}}},
              {.in = {sort_axis::Specials()}},
              {.in = {sort_axis::Specials()}, .attrs = {{"descending", true}}},
              {.in = {{3, 150}}, .lo = -1000, .hi = 1000},
              {.in = {{3000}},
               .lo = -1e6,
               .hi = 1e6,
               .only = {DType::kF32, DType::kF64, DType::kI64, DType::kI32}},
              {.in = {{130, 40}},
               .attrs = {{"axis", 0}},
               .only = {DType::kF32, DType::kF16}},
              {.in = {{0, 3}}},
              {.in = {{3, 0}}},
              {.in = {{3, 1}}}})
    .rejects({{.in = {Shape()},
               .message = "[Sort] x is f32[]; wanted rank 1 or more"},
              {.in = {{2}},
               .attrs = {{"axis", 1}},
               .message = "[Sort] axis 1 is out of range"}});
SL_FACE(Sort).keeps({DType::kBool});

}  // namespace sluice
