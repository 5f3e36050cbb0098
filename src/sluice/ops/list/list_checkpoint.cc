// ListCheckpoint: stores the carried values of a recomputing loop. The list
// contains those of every n-th iteration; when it grows too large, every second
// entry is removed and n doubles.
#include "sluice/op/grad_context.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  int64_t index = *ctx.in(2).data<int64_t>();
  if (index < 0) {
    ctx.set_out(0, ctx.in(0));
    return OkStatus();
  }
  bool thin = *ctx.in(3).data<bool>();
  ListValue* out = nullptr;
  Array element;
  if (const ListValue* list = ListOf(ctx.in(0))) {
    SL_ASSIGN_OR_RETURN(element, ElementInput(ctx, *list, ctx.in(1)));
    SL_ASSIGN_OR_RETURN(out, ListOutput(ctx));
  } else {
    auto made = MakeRef<ListValue>(ctx.in(1).dtype(), PartialShape());
    SL_ASSIGN_OR_RETURN(element, ElementInput(ctx, *made, ctx.in(1)));
    ctx.set_out(0, ListArray(std::move(made)));
    out = ListOf(ctx.out(0));
  }
  if (index >= out->size()) {
    SL_RETURN_IF_ERROR(AsOpError(ctx, out->Resize(index + 1)));
  }
  out->Set(index, std::move(element));
  if (!thin) return OkStatus();
  int64_t left = (out->size() + 1) / 2;
  for (int64_t i = 1; i < left; ++i) {
    if (Array moved = out->at(2 * i)) out->Set(i, std::move(moved));
  }
  return AsOpError(ctx, out->Resize(left));
}

void Grad(GradContext& g) {
  GradVars back = g.call_all(
      "ListCheckpointGrad",
      std::vector<GradVar>{g.dy(), g.in(2), g.in(3), g.shape_of(g.in(1))},
      {{"dtype", g.in(1).dtype()}, {"shape", g.in(1).shape()}});
  if (back.size() != 2) return;
  g.set_dx(0, back[0]);
  g.set_dx(1, back[1]);
}

SL_OP(ListCheckpoint)
    .doc(
        "The list with x as element `index`, and then, with `thin`, without "
        "every second element. As it is when index is below 0; no list is an "
        "empty one.")
    .input("list: list")
    .input("x: T")
    .input("index: i64")
    .input("thin: bool")
    .output("out: list")
    .types("T", kElements)
    .shape([](ShapeContext& c) {
      for (int i : {0, 2, 3}) SL_RETURN_IF_ERROR(c.WantRank(i, 0));
      return shapes::scalar(c);
    })
    .grad(Grad)
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .role(Role::kListCheckpoint)
    .internal();

}  // namespace
}  // namespace sluice
