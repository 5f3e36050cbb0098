#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape to, ShapeFromInput(c, 1));
  const PartialShape& x = c.in(0);
  if (to.rank_known() && x.rank_known()) {
    bool fits = x.rank() <= to.rank();
    for (int i = 1; fits && i <= x.rank(); ++i) {
      int64_t from = x[x.rank() - i], want = to[to.rank() - i];
      fits = from < 0 || want < 0 || from == want || from == 1;
    }
    if (!fits) {
      return c.Error(StrCat(c.Describe(0), ", shape is ", to,
                            "; wanted sizes equal or 1 in x"));
    }
  }
  c.set_out(0, to);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  const Array& x = ctx.in(0);
  if (ctx.in(1).rank() != 1) return false;
  Result<Shape> to = Shape::Make(IntValues(ctx.in(1)));
  if (!to.ok()) return false;
  Result<Shape> both = BroadcastShapes(x.shape(), *to);
  if (!both.ok() || !(*both == *to)) return false;
  *view = Array::View(x, 0, *to, BroadcastStrides(x, *to));
  return true;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  Ints dims(in[1].v.begin(), in[1].v.end());
  return {ref::Build(ref::MakeShape(dims), [&](const Ints& index) {
    return ref::Broadcast(in[0], index);
  })};
}

Array To(std::initializer_list<int64_t> dims) {
  return Array::Vector<int64_t>(dims);
}

}  // namespace

SL_OP(BroadcastTo)
    .doc("x stretched to a shape: axes of size 1 and missing ones repeat.")
    .input("x: T")
    .input("shape: i64")
    .output("y: T")
    .types("T", kAnyData)
    .shape(Infer)
    .view(View)
    .grad([](GradContext& g) { g.set_dx(0, g.sum_to(g.dy(), g.in(0))); })
    .shares([](const Attrs&) { return ViewOrder::kChanges; }, nullptr)
    .batch([](BatchContext& b) {
      int wanted = b.rank_out();
      if (b.batched(1) || b.rank(0) < 0 || wanted < 0) return false;
      RuleVar x = b.expand(b.in(0), 1, wanted - b.rank(0));
      return b.set_all({x, b.lanes_and(b.in(1))}, {});
    })
    .cpu(copy_view<View>)
    .strided_inputs()
    .simplify("BroadcastTo(x) to x's own shape = x", DropToSameShape)
    .role(Role::kBroadcastTo)
    .recompute(Recompute::kCheap)
    .reference(Reference)
    .samples({{.in = {{3}, To({2, 3})}},
              {.in = {Shape(), To({2, 2})}},
              {.in = {{2, 1, 3}, To({2, 4, 3})}},
              {.in = {{2, 3}, To({2, 3})}},
              {.in = {Shape(), To({})}},
              {.in = {{1, 3}, To({0, 3})}},
              {.in = {{0}, To({2, 0})}}})
    .rejects({{.in = {{2, 3}, To({2, 4})},
               .message = "[BroadcastTo] x is f32[2,3], shape is [2,4]; wanted "
                          "sizes equal or 1 in x"},
              {.in = {{2, 3}, To({3})},
               .message = "[BroadcastTo] x is f32[2,3], shape is [3]; wanted"},
              {.in = {{2}, To({1})},
               .message = "[BroadcastTo] x is f32[2], shape is [1]; wanted"},
              {.in = {{3}, To({-1, 3})},
               .message = "[BroadcastTo] shape[0] is -1; wanted a size of at "
                          "least 0"},
              {.in = {{1}, To({int64_t{1} << 40, int64_t{1} << 40})},
               .message = "[BroadcastTo] shape [1099511627776,1099511627776] "
                          "has too many elements"},
              {.in = {{3}, Array::Of<int64_t>({1, 1}, {3})},
               .message = "[BroadcastTo] shape is i64[1,1]; wanted rank 1"}});

}  // namespace sluice
