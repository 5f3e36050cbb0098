#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

// The shape for one lane.
PartialShape LaneShape(const PartialShape& shape) {
  if (!shape.rank_known() || shape.rank() == 0) return {};
  PartialShape lane = PartialShape::OfRank(shape.rank() - 1);
  for (int i = 0; i < lane.rank(); ++i) lane.set_dim(i, shape[i + 1]);
  return lane;
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(int64_t lanes, SizeInput(ctx, 1));
  if (lanes > kMaxListSize) return CheckPlace(ctx, lanes);
  auto box = MakeRef<ListValue>(DType::kList, PartialShape::Scalar());
  SL_RETURN_IF_ERROR(AsOpError(ctx, box->Resize(lanes)));
  const ListValue* list = ListOf(ctx.in(0));
  std::vector<Ref<ListValue>> made;
  for (int64_t k = 0; list && k < lanes; ++k) {
    made.push_back(MakeRef<ListValue>(list->dtype(), LaneShape(list->shape()),
                                      list->max_size()));
    SL_RETURN_IF_ERROR(AsOpError(ctx, made.back()->Resize(list->size())));
  }
  for (int64_t i = 0; list && i < list->size(); ++i) {
    if (!list->there(i)) continue;
    Result<Array> element = OwnedArray(list->at(i));
    if (!element.ok()) return AsOpError(ctx, element.status());
    if (element->rank() == 0 || element->dim(0) != lanes) {
      return ctx.Error(StrCat("element ", i, " is ", element->TypeText(),
                              "; wanted ", lanes,
                              " slices, one for each lane"));
    }
    SL_ASSIGN_OR_RETURN(std::vector<Array> rows, RowsOf(ctx, *element));
    for (int64_t k = 0; k < lanes; ++k) {
      made[static_cast<size_t>(k)]->Set(
          i, std::move(rows[static_cast<size_t>(k)]));
    }
  }
  for (int64_t k = 0; k < lanes; ++k) {
    box->Set(k, list ? ListArray(std::move(made[static_cast<size_t>(k)]))
                     : Array::Zeros(DType::kList, {}));
  }
  ctx.set_out(0, ListArray(std::move(box)));
  return OkStatus();
}

SL_OP(ListLanes)
    .doc(
        "A list of lists: list k holds slice k, along the first axis, of every "
        "element of `list`, not copied. Of no list, so many times no list.")
    .input("list: list")
    .input("lanes: I")
    .output("out: list")
    .types("I", kIndices)
    .shape(ListShapes<2>)
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListTogether", {g.dy(), g.in(1)}));
    })
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Scalar<int64_t>(-1)},
               .message = "[ListLanes] size is -1; wanted 0 or more"}});

}  // namespace
}  // namespace sluice
