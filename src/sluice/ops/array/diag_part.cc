#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/diagonal.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 2));
  if (!c.in(0).rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(PartialShape out, diagonal::PartShape(c, c.in(0)));
  c.set_out(0, out);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  return diagonal::PartView(ctx.in(0), ctx.attr<int64_t>("k"), view);
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t k = attrs.get<int64_t>("k");
  const Shape& x = in[0].shape;
  Ints dims = ref::DimsOf(x);
  dims.pop_back();
  int64_t n = 0;
  for (int64_t r = 0; r < x.dim(x.rank() - 2); ++r) {
    for (int64_t c = 0; c < x.dim(x.rank() - 1); ++c) n += c - r == k;
  }
  dims.back() = n;
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    int64_t i = index.back();
    index.back() = k < 0 ? i - k : i;
    index.push_back(k < 0 ? i : i + k);
    return ref::At(in[0], index);
  })};
}

}  // namespace

SL_OP(DiagPart)
    .doc("A diagonal of the matrices in the last two axes.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("k", 0, "The diagonal: 0 the main one, positive above it.")
    .shape(Infer)
    .view(View)
    .grad([](GradContext& g) {
      g.set_dx(
          0, g.call("DiagPartGrad", {g.dy(), g.shape_of(g.in(0))}, g.attrs()));
    })
    .shares([](const Attrs&) { return ViewOrder::kChanges; },
            [](GradContext& g) {
              GradVar shape = g.shape_of(g.in(0));
              GradVar there = g.call("DiagPartGrad",
                                     {g.ones_like(g.dy()), shape}, g.attrs());
              GradVar put = g.call("DiagPartGrad", {g.dy(), shape}, g.attrs());
              g.set_dx(0, g.call("Select",
                                 {g.cast(there, DType::kBool), put, g.in(0)}));
            })
    .batch(batch_rules::leading)
    .cpu(copy_view<View>)
    .strided_inputs()
    .reference(Reference)
    .samples({{.in = {{3, 3}}},
              {.in = {{3, 5}}, .attrs = {{"k", 1}}},
              {.in = {{2, 5, 3}}, .attrs = {{"k", -2}}},
              {.in = {{2, 3}}, .attrs = {{"k", 3}}},
              {.in = {{2, 3}}, .attrs = {{"k", INT64_MIN}}},
              {.in = {{2, 3}}, .attrs = {{"k", INT64_MAX}}},
              {.in = {{0, 3}}},
              {.in = {{0, 2, 3}}}})
    .rejects({{.in = {{3}},
               .message = "[DiagPart] x is f32[3]; wanted rank 2 or more"}});

}  // namespace sluice
