#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  return shapes::scalar(c);
}

Status Launch(KernelContext& ctx) {
  bool of_gradient = ctx.attr<bool>("gradient");
  if (of_gradient && !ListOf(ctx.in(0))) {
    ctx.set_out(0, ctx.in(0));
    return OkStatus();
  }
  SL_ASSIGN_OR_RETURN(const ListValue* list, ListInput(ctx));
  auto indices = IntValues(ctx.in(1));
  auto out = MakeRef<ListValue>(list->dtype(), list->shape());
  SL_RETURN_IF_ERROR(
      AsOpError(ctx, out->Resize(static_cast<int64_t>(indices.size()))));
  for (size_t k = 0; k < indices.size(); ++k) {
    int64_t i = indices[k];
    if (i < 0 || (i >= list->size() && !of_gradient)) {
      return IndexError(ctx, i, list->size());
    }
    if (i >= list->size()) continue;
    if (Array element = list->at(i)) {
      out->Set(static_cast<int64_t>(k), element);
    } else if (list->taken(i)) {
      return ctx.Error(StrCat("element ", i,
                              " has already been read, and was cleared then; "
                              "wanted each element to be read once"));
    }
  }
  ctx.set_out(0, ListArray(std::move(out)));
  return OkStatus();
}

SL_OP(ListSelect)
    .doc(
        "A list of the elements of another that indices name, in their order; "
        "what was never written there is not written here.")
    .input("list: list")
    .input("indices: I")
    .output("out: list")
    .types("I", kIndices)
    .attr("gradient", false,
          "The list is the gradient of one: an index beyond its end names "
          "zeros, and no list is zeros throughout.")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(
          0, g.call("ListAddFrom", {g.call("ListZero", {}), g.in(1), g.dy()}));
    })
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Vector<int64_t>({0})},
               .message = "[ListSelect] list is empty; wanted a list"}});

}  // namespace
}  // namespace sluice
