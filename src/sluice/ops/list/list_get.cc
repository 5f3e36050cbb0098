#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kElements));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 0));
  c.set_out(0, c.attr<PartialShape>("shape"));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, TypedListInput(ctx));
  SL_ASSIGN_OR_RETURN(int64_t i, IndexInput(ctx, 1, list->size()));
  SL_ASSIGN_OR_RETURN(Array element, ElementReader(ctx, *list).At(i));
  ctx.set_out(0, std::move(element));
  return OkStatus();
}

// Elements behind each other: [size, lanes, ...] or, of a list that is the same
// for all lanes, [size, ...].
RuleVar Stacked(BatchContext& b) {
  const PartialShape& shape = b.attr<PartialShape>("shape");
  return b.call("ListStack", {b.in(0)},
                {{"dtype", b.attr<DType>("dtype")},
                 {"shape", b.batched(0) ? b.with_lanes(shape) : shape}});
}

bool Batched(BatchContext& b) {
  if (!b.batched(1))
    return b.set_all(b.all_in(), list_batch::elements_with_lanes(b));
  if (!b.batched(0)) {
    b.set(0, b.gather(Stacked(b), b.in(1)));
    return true;
  }
  RuleVar places = b.call(
      "Concat", {b.expand(b.in(1), 1), b.lane_numbers(b.in(1).dtype(), 2)},
      {{"axis", 1}});
  b.set(0, b.call("GatherNd", {Stacked(b), places}));
  return true;
}

bool BatchedLists(BatchContext& b) {
  DType dtype = b.attr<DType>("dtype");
  Attrs attrs{{"dtype", dtype}};
  if (dtype != DType::kList) {
    attrs.set("shape", b.with_lanes(b.attr<PartialShape>("shape")));
  }
  return list_batch::set_elements(
      b, b.call("ListGetLanes", {b.full(0), b.full(1)}, attrs));
}

SL_OP(ListGet)
    .doc(
        "One element of a list. One that was never written is zeros, if its "
        "shape is known.")
    .input("list: list")
    .input("index: I")
    .output("element: dtype")
    .types("I", kIndices)
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .attr("shape", PartialShape(), "What is known of the element's shape.")
    .shape(Infer)
    .batch(Batched)
    .batch_lists(BatchedLists)
    .cpu(Launch)
    .any_memory()
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(0,
               g.call("ListAddAt", {g.call("ListZero", {}), g.in(1), g.dy()}));
    })
    .role(Role::kListGet)
    .recompute(Recompute::kCheapOfFixed)
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Scalar<int64_t>(0)},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[ListGet] list is empty; wanted a list"}});

}  // namespace
}  // namespace sluice
