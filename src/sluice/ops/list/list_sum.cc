#include "sluice/ops/list/list_sum.h"

#include <cstring>

#include "sluice/base/error.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/tensor/remote_work.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

Status AddAny(const KernelContext& ctx, Array* target, const Array& x);

Status AddLists(const KernelContext& ctx, Array* target, const Array& x) {
  const ListValue* from = ListOf(x);
  if (!from) return OkStatus();
  if (!ListOf(*target)) {
    *target = x;
    return OkStatus();
  }
  Result<Array> writable = WritableList(*target);
  if (!writable.ok()) return AsOpError(ctx, writable.status());
  *target = *std::move(writable);
  ListValue& to = *ListOf(*target);
  for (int64_t i = 0; i < from->size(); ++i) {
    if (from->there(i)) SL_RETURN_IF_ERROR(AddElement(ctx, to, i, from->at(i)));
  }
  return OkStatus();
}

Status AddAny(const KernelContext& ctx, Array* target, const Array& x) {
  if (x.dtype() == DType::kList) return AddLists(ctx, target, x);
  if (!(target->shape() == x.shape())) {
    return ctx.Error(StrCat("the element is ", x.TypeText(), "; wanted ",
                            target->TypeText(), " as is there"));
  }
  return AsOpError(ctx, AddTo(target, x));
}

}  // namespace

Result<ListValue*> GradientOutput(KernelContext& ctx, DType dtype) {
  if (ListOf(ctx.in(0))) return ListOutput(ctx);
  ctx.set_out(0, ListArray(MakeRef<ListValue>(dtype, PartialShape())));
  return ListOf(ctx.out(0));
}

Array PartAt(const KernelContext& ctx, int64_t i) {
  const ListValue* list = ListOf(ctx.in(0));
  return list && i >= 0 && i < list->size() ? list->at(i) : Array();
}

Status AddElement(const KernelContext& ctx, ListValue& list, int64_t i,
                  const Array& x) {
  SL_RETURN_IF_ERROR(AsOpError(ctx, list.CheckElement(x)));
  if (i >= list.size()) SL_RETURN_IF_ERROR(AsOpError(ctx, list.Resize(i + 1)));
  if (!list.there(i)) {
    list.Set(i, x);
    return OkStatus();
  }
  Array sum = list.Clear(i);
  Status added = AddAny(ctx, &sum, x);
  list.Set(i, std::move(sum));
  return added;
}

Status CheckPlace(const KernelContext& ctx, int64_t index) {
  if (index >= 0 && index < kMaxListSize) return OkStatus();
  return ctx.Error(
      StrCat("index is ", index, "; wanted 0 <= index < ", kMaxListSize));
}

Result<int64_t> PlaceInput(const KernelContext& ctx, int i) {
  SL_ASSIGN_OR_RETURN(int64_t index, ScalarInt(ctx, i));
  SL_RETURN_IF_ERROR(CheckPlace(ctx, index));
  return index;
}

Status PartsShape(ShapeContext& c, int dims) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kAnyData));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  for (int i = 1; i < dims; ++i) SL_RETURN_IF_ERROR(c.WantRank(i, 1));
  SL_ASSIGN_OR_RETURN(PartialShape out, ShapeFromInput(c, dims));
  if (out.rank() == 0) return c.Error("dims is empty; wanted one size or more");
  c.set_out(0, out);
  return OkStatus();
}

Status CheckPart(const KernelContext& ctx, const Array& part, int64_t i,
                 int64_t bytes) {
  const Array& y = ctx.out(0);
  if (!part || (part.dtype() == y.dtype() && part.bytes() == bytes)) {
    return OkStatus();
  }
  return ctx.Error(StrCat("element ", i, " is ", part.TypeText(), "; wanted ",
                          bytes, " bytes of ", y.TypeText()));
}

namespace {

// The same in device memory. Throws sluice::Error, as copies do.
void LayOutRemote(std::span<const Array> parts,
                  std::span<const int64_t> missing, const Array& to) {
  int64_t begin = 0, size = DTypeSize(to.dtype());
  for (size_t i = 0; i < parts.size(); ++i) {
    const Array& part = parts[i];
    Shape shape = part ? part.shape() : Shape({missing[i] / size});
    Array place = PartOf(to, begin, shape);
    if (part) {
      CopyStrided(part, place);
    } else if (Status zero = RemoteWork::Zero(place); !zero.ok()) {
      throw Error(zero);
    }
    begin += shape.num_elements();
  }
}

}  // namespace

void LayOutOrZeros(std::span<const Array> parts,
                   std::span<const int64_t> missing, const Array& to) {
  if (RemoteWork::Needed(to)) return LayOutRemote(parts, missing, to);
  auto* out = static_cast<char*>(to.mutable_raw());
  for (size_t i = 0; i < parts.size(); ++i) {
    const Array& part = parts[i];
    int64_t bytes = part ? part.bytes() : missing[i];
    if (part) {
      std::memcpy(out, part.raw(), static_cast<size_t>(bytes));
    } else {
      std::memset(out, 0, static_cast<size_t>(bytes));
    }
    out += bytes;
  }
}

}  // namespace sluice
