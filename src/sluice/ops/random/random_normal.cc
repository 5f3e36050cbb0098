#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/random_fill.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& shape = c.attr<PartialShape>("shape");
  if (!shape.fully_known()) {
    return c.Error(StrCat("shape is ", shape, "; wanted every size known"));
  }
  c.set_out(0, shape);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  RandomKey key = RandomKey::Of(
      ctx.step().seed, static_cast<uint64_t>(ctx.attr<int64_t>("seed")),
      ctx.node().key, static_cast<uint64_t>(ctx.step().step_id));
  FillNormal(key, y.dtype(), y.num_elements(), y.mutable_raw(),
             ctx.step().pool);
  return OkStatus();
}

}  // namespace

SL_OP(RandomNormal)
    .doc(
        "Random numbers with mean 0 and standard deviation 1. They depend on "
        "the session's seed, this op's seed and place in the graph, and the "
        "step, and on nothing else.")
    .output("y: dtype")
    .types("dtype", kFloats)
    .attr("shape", AttrKind::kShape, "The shape of the result.")
    .attr("dtype", DType::kF32, "The type of the result.")
    .attr("seed", 0, "Tells apart ops that should differ.")
    .shape(Infer)
    .cpu(Launch)
    .random()
    .samples(
        {{.in = {}, .attrs = {{"shape", Shape{3, 5}}}},
         {.in = {}, .attrs = {{"shape", Shape{1001}}, {"dtype", DType::kF64}}},
         {.in = {},
          .attrs = {{"shape", Shape{70}}, {"dtype", DType::kF16}, {"seed", 7}}},
         {.in = {}, .attrs = {{"shape", Shape()}, {"dtype", DType::kBF16}}},
         {.in = {}, .attrs = {{"shape", Shape{0, 2}}}}})
    .rejects({{.in = {},
               .attrs = {{"shape", PartialShape({2, any})}},
               .message = "[RandomNormal] shape is [2,?]; wanted every size "
                          "known"},
              {.in = {},
               .attrs = {{"shape", Shape{2}}, {"dtype", DType::kI32}},
               .message = "[RandomNormal] attribute dtype is i32"},
              {.in = {},
               .message = "[RandomNormal] attribute shape is missing; wanted "
                          "shape"}});

}  // namespace sluice
