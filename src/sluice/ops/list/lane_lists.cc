#include "sluice/ops/list/lane_lists.h"

#include <algorithm>

namespace sluice {

Status LaneListShapes(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  return shapes::scalar(c);
}

const ListValue* LaneLists::at(int64_t k) const {
  if (!lists || k >= lists->size() || !lists->there(k)) return nullptr;
  return ListOf(lists->at(k));
}

Result<LaneLists> LaneListsInput(const KernelContext& ctx) {
  const ListValue* lists = ListOf(ctx.in(0));
  if (!lists || lists->dtype() == DType::kList) return LaneLists{lists};
  return ctx.Error(StrCat(ctx.op().InputName(0), " is a ", lists->Describe(),
                          "; wanted a list of the lists of lanes"));
}

Result<std::vector<int64_t>> LaneNumbers(const KernelContext& ctx, int i,
                                         int64_t lanes) {
  auto values = IntValues(ctx.in(i));
  if (ctx.in(i).rank() != 1 ||
      (lanes >= 0 && static_cast<int64_t>(values.size()) != lanes)) {
    return ctx.Error(StrCat(ctx.op().InputName(i), " is ", ctx.in(i).TypeText(),
                            "; wanted a vector of ", lanes,
                            " numbers, one for each lane"));
  }
  std::vector<int64_t> numbers(values.begin(), values.end());
  for (int64_t n : numbers) SL_RETURN_IF_ERROR(CheckPlace(ctx, n));
  return numbers;
}

Result<std::vector<Array>> LaneRows(const KernelContext& ctx, int i) {
  const Array& x = ctx.in(i);
  if (x.dtype() == DType::kList) {
    std::vector<Array> rows;
    const ListValue* lists = ListOf(x);
    for (int64_t k = 0; lists && k < lists->size(); ++k) {
      rows.push_back(lists->at(k));
    }
    return rows;
  }
  if (x.rank() == 0) {
    return ctx.Error(StrCat(ctx.op().InputName(i), " is ", x.TypeText(),
                            "; wanted a slice for each lane"));
  }
  Result<Array> own = OwnedArray(x);
  if (!own.ok()) return AsOpError(ctx, own.status());
  return RowsOf(ctx, *own);
}

Result<ListValue*> LaneListsOutput(KernelContext& ctx, int64_t lanes) {
  SL_ASSIGN_OR_RETURN(ListValue * out, GradientOutput(ctx, DType::kList));
  if (out->size() < lanes) {
    SL_RETURN_IF_ERROR(AsOpError(ctx, out->Resize(lanes)));
  }
  return out;
}

bool IsNothing(const Array& element) {
  // Only the sizes of a value may have been kept.
  if (element.dtype() == DType::kI64 && element.rank() == 1 &&
      element.dim(0) == kMaxRank - 1 && element.contiguous()) {
    const int64_t* sizes = element.data<int64_t>();
    return std::all_of(sizes, sizes + element.dim(0),
                       [](int64_t size) { return size == 0; });
  }
  if (element.rank() != kMaxRank - 1) return false;
  for (int i = 0; i < element.rank(); ++i) {
    if (element.dim(i) != 0) return false;
  }
  return true;
}

Result<Array> StackLanes(const KernelContext& ctx, std::vector<Array> elements,
                         DType dtype, std::span<const int64_t> dims) {
  auto lanes = static_cast<int64_t>(elements.size());
  if (dtype == DType::kList) {
    auto list = MakeRef<ListValue>(dtype, PartialShape::Scalar());
    SL_RETURN_IF_ERROR(AsOpError(ctx, list->Resize(lanes)));
    for (int64_t k = 0; k < lanes; ++k) {
      Array& element = elements[static_cast<size_t>(k)];
      list->Set(k, element ? std::move(element) : Array::Zeros(dtype, {}));
    }
    return ListArray(std::move(list));
  }
  Result<Shape> known = Shape::Make(dims);
  bool any = false, none = false;
  for (Array& element : elements) {
    if (!element) continue;
    if (IsNothing(element)) {
      none = true;
      if (!any) known = element.shape();
      continue;
    }
    Result<Array> own = OwnedArray(element);
    if (!own.ok()) return AsOpError(ctx, own.status());
    element = *std::move(own);
    if (!any) known = element.shape();
    any = true;
  }
  if (!known.ok()) return AsOpError(ctx, known.status());
  std::vector<int64_t> sizes{lanes};
  sizes.insert(sizes.end(), known->dims().begin(), known->dims().end());
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(sizes));
  Result<Array> to = Array::Make(dtype, shape);
  if (!to.ok()) return AsOpError(ctx, to.status());
  int64_t bytes = known->num_elements() * DTypeSize(dtype);
  for (size_t k = 0; k < elements.size(); ++k) {
    Array& element = elements[k];
    if (element && none && any && IsNothing(element)) element = {};
    if (!element || (element.dtype() == dtype && element.shape() == *known)) {
      continue;
    }
    return ctx.Error(StrCat("an element of lane ", k, " is ",
                            element.TypeText(), "; wanted ",
                            TypeText(dtype, *known), " as of others"));
  }
  std::vector<int64_t> missing(elements.size(), bytes);
  LayOutOrZeros(elements, missing, *to);
  return to;
}

}  // namespace sluice
