#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/diagonal.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape out, ShapeFromInput(c, 1));
  c.set_out(0, out);
  if (!out.rank_known()) return OkStatus();
  if (out.rank() < 2) {
    return c.Error(StrCat("shape is ", out, "; wanted rank 2 or more"));
  }
  SL_ASSIGN_OR_RETURN(PartialShape part, diagonal::PartShape(c, out));
  if (!MergeShapes(part, c.in(0)).ok()) {
    return c.Error(StrCat(c.Describe(0), ", shape is ", out,
                          "; wanted dy of shape ", part));
  }
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &dy = ctx.in(0), &dx = ctx.out(0);
  WorkerPool* pool = ctx.step().pool;
  FillElements(dx.dtype(), ElementOf(0, dx.dtype()).bytes, dx.num_elements(),
               dx.mutable_raw(), pool);
  if (dy.num_elements() == 0) return OkStatus();
  Array part;
  if (!diagonal::PartView(dx, ctx.attr<int64_t>("k"), &part)) {
    return ctx.Error("cannot be formed from its inputs");
  }
  CopyRegion(dx.dtype(), dy.shape(), dy.raw(), dy.strides(), part.mutable_raw(),
             part.strides(), pool);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t k = attrs.get<int64_t>("k");
  Ints dims(in[1].v.begin(), in[1].v.end());
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    int64_t column = index.back();
    index.pop_back();
    if (column - index.back() != k) return 0.0;
    index.back() = std::min(index.back(), column);
    return ref::At(in[0], index);
  })};
}

Array To(std::initializer_list<int64_t> dims) {
  return Array::Vector<int64_t>(dims);
}

}  // namespace

SL_OP(DiagPartGrad)
    .doc(
        "The gradient of DiagPart: matrices of the given shape with dy on a "
        "diagonal and 0 elsewhere.")
    .input("dy: T")
    .input("shape: i64")
    .output("dx: T")
    .types("T", kNumbers)
    .attr("k", 0, "The diagonal: 0 the main one, positive above it.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("DiagPart", {g.dy()}, g.attrs()));
    })
    .batch([](BatchContext& b) {
      if (b.batched(1)) return false;
      return b.set_all({b.full(0), b.lanes_and(b.in(1))});
    })
    .cpu(Launch)
    .strided_inputs()
    .internal()
    .reference(Reference)
    .samples({{.in = {{3}, To({3, 3})}},
              {.in = {{3}, To({3, 5})}, .attrs = {{"k", 1}}},
              {.in = {{2, 3}, To({2, 5, 3})}, .attrs = {{"k", -2}}},
              {.in = {{0}, To({2, 3})}, .attrs = {{"k", 3}}},
              {.in = {{0}, To({2, 3})}, .attrs = {{"k", INT64_MIN}}},
              {.in = {{0}, To({0, 3})}},
              {.in = {{0, 2}, To({0, 2, 3})}}})
    .rejects({{.in = {{3}, To({3, 2})},
               .message = "[DiagPartGrad] dy is f32[3], shape is [3,2]; wanted "
                          "dy of shape [2]"},
              {.in = {{3}, To({3})},
               .message = "[DiagPartGrad] shape is [3]; wanted rank 2 or "
                          "more"},
              {.in = {{3}, To({3, -1})},
               .message = "[DiagPartGrad] shape[1] is -1; wanted a size"}});

}  // namespace sluice
