#include "sluice/ops/list/list_op.h"

#include <algorithm>
#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/state/arithmetic.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/remote_work.h"
#include "sluice/tensor/strided.h"

namespace sluice {

Result<const ListValue*> ListInput(const KernelContext& ctx, int i) {
  if (const ListValue* list = ListOf(ctx.in(i))) return list;
  bool scalar = ctx.in(i).num_elements() == 1;
  return ctx.Error(StrCat(ctx.op().InputName(i), " is ",
                          scalar ? "empty" : ctx.in(i).TypeText(),
                          "; wanted a list"));
}

Result<const ListValue*> TypedListInput(const KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, ListInput(ctx));
  DType dtype = ctx.attr<DType>("dtype");
  if (list->dtype() == dtype) return list;
  return ctx.Error(StrCat(ctx.op().InputName(0), " is a ", list->Describe(),
                          "; wanted elements of ", DTypeName(dtype)));
}

Status CheckElementType(const ShapeContext& c, DTypeSet allowed) {
  DType dtype = c.attr<DType>("dtype");
  if (allowed.contains(dtype)) return OkStatus();
  return c.Error(
      StrCat("dtype is ", DTypeName(dtype), "; wanted one of ", allowed));
}

Result<ListValue*> ListOutput(KernelContext& ctx) {
  Result<Array> list = WritableList(ctx.in(0));
  if (!list.ok()) return AsOpError(ctx, list.status());
  ctx.set_out(0, *std::move(list));
  return ListOf(ctx.out(0));
}

Status IndexError(const KernelContext& ctx, int64_t index, int64_t size) {
  return ctx.Error(StrCat("index is ", index, "; wanted 0 <= index < ", size,
                          ", the size of the list"));
}

Result<int64_t> IndexInput(const KernelContext& ctx, int i, int64_t size) {
  SL_ASSIGN_OR_RETURN(int64_t index, ScalarInt(ctx, i));
  if (index < 0 || index >= size) return IndexError(ctx, index, size);
  return index;
}

Result<int64_t> SizeInput(const KernelContext& ctx, int i) {
  SL_ASSIGN_OR_RETURN(int64_t size, ScalarInt(ctx, i));
  if (size >= 0) return size;
  return ctx.Error(StrCat("size is ", size, "; wanted 0 or more"));
}

Status WrittenTwice(const KernelContext& ctx, int64_t index) {
  return ctx.Error(StrCat("index ", index,
                          " has already been written to; wanted each index to "
                          "be written once"));
}

Status CheckWrite(const KernelContext& ctx, const ListValue& list,
                  int64_t index) {
  int64_t size = list.size();
  if (index < 0 || (index >= size && ctx.attr<bool>("fixed"))) {
    return IndexError(ctx, index, size);
  }
  if (index >= list.max_size()) {
    return ctx.Error(StrCat("index is ", index, "; wanted less than ",
                            list.max_size(), ", as many as the list may hold"));
  }
  if (index >= size || !ctx.attr<bool>("once")) return OkStatus();
  if (list.taken(index)) {
    return ctx.Error(StrCat("index ", index,
                            " has already been read; wanted to write it "
                            "before"));
  }
  return list.there(index) ? WrittenTwice(ctx, index) : OkStatus();
}

Status ElementReader::MakeZeros(int64_t i) {
  std::string never = StrCat("element ", i, " was never written");
  if (list_.dtype() == DType::kList) {
    return ctx_.Error(StrCat(never, "; wanted a list there"));
  }
  Result<PartialShape> shape = MergeShapes(shape_, list_.ElementShape());
  if (!shape.ok()) return AsOpError(ctx_, shape.status());
  if (!shape->fully_known()) {
    return ctx_.Error(StrCat(never, " and only ",
                             TypeText(list_.dtype(), *shape),
                             " is known of its shape; wanted all of it, to "
                             "give zeros"));
  }
  Result<Array> zeros = Array::Make(list_.dtype(), shape->ToShape());
  if (!zeros.ok()) return AsOpError(ctx_, zeros.status());
  zeros_ = *std::move(zeros);
  if (IsPlainData(zeros_.dtype())) {
    std::memset(zeros_.mutable_raw(), 0, static_cast<size_t>(zeros_.bytes()));
  }
  return OkStatus();
}

Result<Array> ElementReader::At(int64_t i) {
  Array element = list_.at(i);
  if (!element) [[unlikely]] {
    if (list_.taken(i)) {
      return ctx_.Error(StrCat("element ", i,
                               " has already been read, and was cleared then; "
                               "wanted each element to be read once"));
    }
    if (!zeros_) SL_RETURN_IF_ERROR(MakeZeros(i));
    return zeros_;
  }
  if (!shape_.Covers(element.shape())) {
    return ctx_.Error(StrCat("element ", i, " is ", element.TypeText(),
                             "; wanted ", TypeText(list_.dtype(), shape_)));
  }
  return element;
}

Result<std::vector<Array>> ElementReader::All() {
  std::vector<Array> elements;
  elements.reserve(static_cast<size_t>(list_.size()));
  for (int64_t i = 0; i < list_.size(); ++i) {
    SL_ASSIGN_OR_RETURN(Array element, At(i));
    elements.push_back(std::move(element));
  }
  return elements;
}

Result<Array> ElementInput(const KernelContext& ctx, const ListValue& list,
                           const Array& x) {
  Status fits = list.CheckElement(x);
  if (!fits.ok()) return AsOpError(ctx, fits);
  if (list.WouldCopy(x)) return x;
  Result<Array> own = OwnedArray(x);
  if (!own.ok()) return AsOpError(ctx, own.status());
  return own;
}

Result<Array> MakeHere(const KernelContext& ctx, DType dtype,
                       const Shape& shape) {
  Memory* memory = ctx.device() ? ctx.step().memory : nullptr;
  return Array::Make(dtype, shape, AllocatorOf(memory));
}

void LayOut(const KernelContext& ctx, std::span<const Array> parts,
            const Array& to) {
  if (RemoteWork::Needed(to)) {
    int64_t begin = 0;
    for (const Array& part : parts) {
      CopyStrided(part, PartOf(to, begin, part.shape()));
      begin += part.num_elements();
    }
    return;
  }
  WorkerPool* pool = ctx.step().pool;
  int64_t size = DTypeSize(to.dtype());
  auto* out = static_cast<char*>(to.mutable_raw());
  std::vector<int64_t> at{0};
  for (const Array& part : parts) {
    at.push_back(at.back() + part.num_elements() * size);
  }
  constexpr int64_t kLong = 256 << 10, kGrain = 64 << 10;
  auto n = static_cast<int64_t>(parts.size());
  int64_t mean = n == 0 ? 0 : at.back() / n;
  if (!IsPlainData(to.dtype()) || mean >= kLong) {
    // Each is long enough to be divided among threads.
    for (size_t i = 0; i < parts.size(); ++i) {
      CopyRegion(to.dtype(), parts[i].shape(), parts[i].raw(),
                 parts[i].strides(), out + at[i],
                 ContiguousStrides(parts[i].shape()), pool);
    }
    return;
  }
  int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, mean));
  ParallelFor(pool, n, grain, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end);
         ++i) {
      CopyBytes(out + at[i], static_cast<const char*>(parts[i].raw()),
                at[i + 1] - at[i]);
    }
  });
}

Result<Array> StackElements(const KernelContext& ctx, const ListValue& list,
                            std::span<const Array> elements) {
  PartialShape shape;
  if (!elements.empty()) {
    shape = elements[0].shape();
  } else {
    Result<PartialShape> merged =
        MergeShapes(ctx.attr<PartialShape>("shape"), list.ElementShape());
    if (!merged.ok()) return AsOpError(ctx, merged.status());
    shape = *merged;
  }
  if (!shape.fully_known()) {
    return ctx.Error(StrCat("there are no elements and only ",
                            TypeText(list.dtype(), shape),
                            " is known of their shape; wanted all of it"));
  }
  Shape one = shape.ToShape();
  std::vector<int64_t> dims{static_cast<int64_t>(elements.size())};
  dims.insert(dims.end(), one.dims().begin(), one.dims().end());
  for (size_t i = 1; i < elements.size(); ++i) {
    if (elements[i].shape() == one) continue;
    return ctx.Error(StrCat("element ", i, " is ", elements[i].TypeText(),
                            "; wanted ", elements[0].TypeText(),
                            " as element 0"));
  }
  Result<Shape> all = Shape::Make(dims);
  if (!all.ok()) return AsOpError(ctx, all.status());
  Result<Array> to = MakeHere(ctx, list.dtype(), *all);
  if (!to.ok()) return AsOpError(ctx, to.status());
  LayOut(ctx, elements, *to);
  return to;
}

Result<Array> StackAll(const KernelContext& ctx, const ListValue& list) {
  const char* bytes = ctx.device() ? nullptr : list.SideBySide();
  if (bytes && ctx.attr<PartialShape>("shape").Covers(list.element_shape())) {
    Dims one = list.element_shape().dims();
    std::vector<int64_t> dims{list.size()};
    dims.insert(dims.end(), one.begin(), one.end());
    Result<Shape> all = Shape::Make(dims);
    if (!all.ok()) return AsOpError(ctx, all.status());
    Result<Array> to = MakeHere(ctx, list.dtype(), *all);
    if (!to.ok()) return AsOpError(ctx, to.status());
    std::memcpy(to->mutable_raw(), bytes, static_cast<size_t>(to->bytes()));
    return to;
  }
  SL_ASSIGN_OR_RETURN(std::vector<Array> elements,
                      ElementReader(ctx, list).All());
  return StackElements(ctx, list, elements);
}

Array PartOf(const Array& x, int64_t begin, const Shape& shape) {
  return Array::View(x, begin, shape, ContiguousStrides(shape));
}

Result<std::vector<Array>> RowsOf(const KernelContext& ctx, const Array& x) {
  // A size of 0 behind the first axis allows any number of rows.
  if (x.dim(0) > kMaxListSize) {
    return ctx.Error(
        Code::kResourceExhausted,
        StrCat("a list of ", x.dim(0), " elements is too long; wanted at most ",
               kMaxListSize));
  }
  SL_ASSIGN_OR_RETURN(Shape row, Shape::Make(x.shape().dims().subspan(1)));
  std::vector<Array> rows;
  rows.reserve(static_cast<size_t>(x.dim(0)));
  for (int64_t i = 0; i < x.dim(0); ++i) {
    rows.push_back(PartOf(x, i * row.num_elements(), row));
  }
  return rows;
}

}  // namespace sluice
