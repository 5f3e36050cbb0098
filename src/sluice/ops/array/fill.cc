#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(1, 0));
  SL_ASSIGN_OR_RETURN(PartialShape out, ShapeFromInput(c, 0));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  FillElements(y.dtype(), ctx.in(1).raw(), y.num_elements(), y.mutable_raw(),
               ctx.step().pool);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  Ints dims(in[0].v.begin(), in[0].v.end());
  return {ref::Build(ref::MakeShape(dims),
                     [&](const Ints&) { return in[1].v[0]; })};
}

Array To(std::initializer_list<int64_t> dims) {
  return Array::Vector<int64_t>(dims);
}

}  // namespace

SL_OP(Fill)
    .doc("An array of the given sizes, every element one value.")
    .input("dims: i64")
    .input("value: T")
    .output("y: T")
    .types("T", kAnyData)
    .shape(Infer)
    .grad([](GradContext& g) { g.set_dx(1, g.call("Sum", {g.dy()})); })
    .batch([](BatchContext& b) {
      int wanted = b.rank_out();
      if (b.batched(0) || wanted < 0) return false;
      RuleVar value = b.expand(b.in(1), 1, wanted);
      b.set(0, b.call("BroadcastTo", {value, b.lanes_and(b.in(0))}));
      return true;
    })
    .cpu(Launch)
    .role(Role::kFill)
    .recompute(Recompute::kCheap)
    .reference(Reference)
    .samples({{.in = {To({2, 3}), Shape()}},
              {.in = {To({}), Shape()}},
              {.in = {To({0, 2}), Shape()}},
              {.in = {To({5}), Shape()}}})
    .rejects({{.in = {To({2}), {1}},
               .message = "[Fill] value is f32[1]; wanted rank 0"},
              {.in = {To({2, -3}), Shape()},
               .message = "[Fill] dims[1] is -3; wanted a size of at least 0"},
              {.in = {To({int64_t{1} << 40, int64_t{1} << 40}), Shape()},
               .message = "[Fill] shape [1099511627776,1099511627776] has too "
                          "many elements"},
              {.in = {To({1, 1, 1, 1, 1, 1, 1, 1, 1}), Shape()},
               .message = "[Fill] dims is i64[9]; wanted at most 8 sizes"},
              {.in = {Array::Scalar<int64_t>(1), Shape()},
               .message = "[Fill] dims is i64[]; wanted rank 1"}});

}  // namespace sluice
