#include <algorithm>
#include <cstring>

#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

// Element i of every lane, zeros where it is missing; no array if no lane has
// one.
Result<Array> Together(KernelContext& ctx,
                       const std::vector<const ListValue*>& lanes, int64_t i) {
  std::vector<Array> parts;
  Array known;
  for (const ListValue* lane : lanes) {
    parts.push_back(lane && i < lane->size() ? lane->at(i) : Array());
    if (!parts.back()) continue;
    Result<Array> own = OwnedArray(parts.back());
    if (!own.ok()) return AsOpError(ctx, own.status());
    parts.back() = *std::move(own);
    if (!known) known = parts.back();
  }
  if (!known) return Array();
  std::vector<int64_t> dims{static_cast<int64_t>(lanes.size())};
  dims.insert(dims.end(), known.shape().dims().begin(),
              known.shape().dims().end());
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  Result<Array> all = Array::Make(known.dtype(), shape);
  if (!all.ok()) return AsOpError(ctx, all.status());
  for (const Array& part : parts) {
    if (!part ||
        (part.dtype() == known.dtype() && part.shape() == known.shape())) {
      continue;
    }
    return ctx.Error(StrCat("element ", i, " of a lane is ", part.TypeText(),
                            "; wanted ", known.TypeText(), " as of others"));
  }
  std::vector<int64_t> missing(parts.size(), known.bytes());
  LayOutOrZeros(parts, missing, *all);
  return all;
}

Status Launch(KernelContext& ctx) {
  const ListValue* box = ListOf(ctx.in(0));
  SL_ASSIGN_OR_RETURN(int64_t count, SizeInput(ctx, 1));
  if (count > kMaxListSize) return CheckPlace(ctx, count);
  std::vector<const ListValue*> lanes(static_cast<size_t>(count));
  const ListValue* any = nullptr;
  int64_t size = 0;
  for (int64_t k = 0; box && k < std::min(count, box->size()); ++k) {
    const ListValue* lane = box->at(k) ? ListOf(box->at(k)) : nullptr;
    lanes[static_cast<size_t>(k)] = lane;
    if (!lane) continue;
    any = lane;
    size = std::max(size, lane->size());
  }
  if (!any) {
    ctx.set_out(0, Array::Zeros(DType::kList, {}));
    return OkStatus();
  }
  if (!kNumbers.contains(any->dtype())) {
    return ctx.Error(StrCat("list of a lane is a ", any->Describe(),
                            "; wanted elements that are numbers"));
  }
  auto out = MakeRef<ListValue>(any->dtype(), PartialShape());
  SL_RETURN_IF_ERROR(AsOpError(ctx, out->Resize(size)));
  for (int64_t i = 0; i < size; ++i) {
    SL_ASSIGN_OR_RETURN(Array element, Together(ctx, lanes, i));
    if (element) out->Set(i, std::move(element));
  }
  ctx.set_out(0, ListArray(std::move(out)));
  return OkStatus();
}

SL_OP(ListTogether)
    .doc(
        "The gradient of a list whose elements have lanes from that of its "
        "ListLanes: element i holds element i of every lane, along a new first "
        "axis, zeros where there is none.")
    .input("lists: list")
    .input("lanes: I")
    .output("out: list")
    .types("I", kIndices)
    .shape(ListShapes<2>)
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListLanes", {g.dy(), g.in(1)}));
    })
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Scalar<int64_t>(-1)},
               .message = "[ListTogether] size is -1; wanted 0 or more"}});

}  // namespace
}  // namespace sluice
