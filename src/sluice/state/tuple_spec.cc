#include "sluice/state/tuple_spec.h"

#include <algorithm>
#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/state/arithmetic.h"
#include "sluice/tensor/dispatch.h"
#include "sluice/tensor/strided.h"

namespace sluice {

Status TupleSpec::Check() const {
  if (dtypes.empty()) {
    return InvalidArgument("dtypes is empty; wanted at least one component");
  }
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (!kAnyData.contains(dtypes[i])) {
      return InvalidArgument(StrCat("dtypes[", i, "] is ", DTypeName(dtypes[i]),
                                    "; wanted one of ", kAnyData));
    }
  }
  if (!shapes.empty() && shapes.size() != dtypes.size()) {
    return InvalidArgument(StrCat("shapes has ", shapes.size(),
                                  " entries; wanted none or ", dtypes.size(),
                                  ", as dtypes"));
  }
  if (!names.empty() && names.size() != dtypes.size()) {
    return InvalidArgument(StrCat("names has ", names.size(),
                                  " entries; wanted none or ", dtypes.size(),
                                  ", as dtypes"));
  }
  return OkStatus();
}

std::string TupleSpec::ToString() const {
  std::string out = "(";
  for (int i = 0; i < size(); ++i) {
    if (i) out += ", ";
    auto k = static_cast<size_t>(i);
    if (!names.empty()) StrAppend(out, names[k], ": ");
    StrAppend(out, TypeText(dtypes[k], shape(i)));
  }
  return out + ")";
}

namespace {

Status CheckCount(const TupleSpec& spec, size_t got, const std::string& who) {
  if (got == spec.dtypes.size()) return OkStatus();
  return InvalidArgument(StrCat("got ", got, " component", got == 1 ? "" : "s",
                                "; wanted ", spec.size(), " as ", who));
}

Status Mismatch(const TupleSpec& spec, int i, const Array& got,
                const PartialShape& wanted, const std::string& who) {
  return InvalidArgument(StrCat(
      "components[", i, "] is ", got.TypeText(), "; wanted ",
      TypeText(spec.dtypes[static_cast<size_t>(i)], wanted), " as ", who));
}

Shape Tail(const Shape& shape) { return *Shape::Make(shape.dims().subspan(1)); }

}  // namespace

Result<Element> MakeElement(const TupleSpec& spec, std::span<const Array> parts,
                            const std::string& who) {
  SL_RETURN_IF_ERROR(CheckCount(spec, parts.size(), who));
  Element element;
  for (int i = 0; i < spec.size(); ++i) {
    auto k = static_cast<size_t>(i);
    if (parts[k].dtype() != spec.dtypes[k] ||
        !spec.shape(i).Covers(parts[k].shape())) {
      return Mismatch(spec, i, parts[k], spec.shape(i), who);
    }
    SL_ASSIGN_OR_RETURN(Array owned, OwnedArray(parts[k]));
    element.parts.push_back(std::move(owned));
  }
  return element;
}

Result<std::vector<Element>> SplitBatch(const TupleSpec& spec,
                                        std::span<const Array> parts,
                                        const std::string& who) {
  SL_RETURN_IF_ERROR(CheckCount(spec, parts.size(), who));
  int64_t n = 0;
  for (int i = 0; i < spec.size(); ++i) {
    const Array& part = parts[static_cast<size_t>(i)];
    if (part.rank() == 0) {
      return InvalidArgument(StrCat("components[", i, "] is ", part.TypeText(),
                                    "; wanted a batch, with elements along "
                                    "axis 0"));
    }
    if (part.dtype() != spec.dtypes[static_cast<size_t>(i)] ||
        !spec.shape(i).Covers(Tail(part.shape()))) {
      return Mismatch(spec, i, part, BatchShape(spec.shape(i), kUnknownDim),
                      who);
    }
    if (i > 0 && part.dim(0) != n) {
      return InvalidArgument(StrCat("components[", i, "] is ", part.TypeText(),
                                    "; wanted ", n,
                                    " elements along axis 0 as components[0]"));
    }
    n = part.dim(0);
  }
  std::vector<Element> elements(static_cast<size_t>(n));
  for (const Array& part : parts) {
    SL_ASSIGN_OR_RETURN(Array rows, part.AsContiguous());
    Shape row = Tail(rows.shape());
    for (int64_t r = 0; r < n; ++r) {
      // A copy and not a view: one element left in a queue must not keep its
      // whole batch alive.
      Array view = Array::View(rows, r * row.num_elements(), row,
                               ContiguousStrides(row));
      SL_ASSIGN_OR_RETURN(Array own, view.Clone());
      elements[static_cast<size_t>(r)].parts.push_back(std::move(own));
    }
  }
  return elements;
}

bool CanBatch(const PartialShape& shape, bool pad) {
  if (!shape.rank_known() || shape.rank() >= kMaxRank) return false;
  return pad || shape.fully_known();
}

Result<std::vector<Array>> AllocateBatch(const TupleSpec& spec, bool pad,
                                         std::span<const Element> elements) {
  std::vector<Array> batch;
  for (int i = 0; i < spec.size(); ++i) {
    auto k = static_cast<size_t>(i);
    PartialShape shape = spec.shape(i);
    std::vector<int64_t> dims{static_cast<int64_t>(elements.size())};
    for (int axis = 0; axis < shape.rank(); ++axis) {
      int64_t size = std::max<int64_t>(shape[axis], 0);
      if (pad && shape[axis] < 0) {
        for (const Element& e : elements) {
          size = std::max(size, e.parts[k].dim(axis));
        }
      }
      dims.push_back(size);
    }
    SL_ASSIGN_OR_RETURN(Shape full, Shape::Make(dims));
    SL_ASSIGN_OR_RETURN(Array array, Array::Make(spec.dtypes[k], full));
    batch.push_back(std::move(array));
  }
  return batch;
}

namespace {

// Row r of `batch` from `part`, which may be smaller on any axis.
void FillRow(const Array& part, const Array& batch, int64_t r) {
  int64_t row_elements = batch.num_elements() / batch.dim(0);
  if (part.num_elements() == row_elements && IsPlainData(part.dtype())) {
    int64_t bytes = part.bytes();  // elements of a queue are contiguous
    std::memcpy(static_cast<char*>(batch.mutable_raw()) + r * bytes, part.raw(),
                static_cast<size_t>(bytes));
    return;
  }
  Strides to{};
  for (int axis = 0; axis < part.rank(); ++axis) {
    to[static_cast<size_t>(axis)] =
        batch.strides()[static_cast<size_t>(axis) + 1];
  }
  StridedWalk<2> walk(part.shape(), {part.strides(), to});
  DispatchAll(batch.dtype(), [&]<class T>() {
    const T* source = part.data<T>();
    T* target = batch.mutable_data<T>() + r * row_elements;
    walk.ForEachRun([&](const auto& at, const auto& step, int64_t n) {
      const T* s = source + at[0];
      T* t = target + at[1];
      for (int64_t i = 0; i < n; ++i) t[i * step[1]] = s[i * step[0]];
    });
  });
}

}  // namespace

void FillBatch(std::span<const Element> elements,
               std::span<const Array> batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    const Array& target = batch[k];
    if (target.num_elements() == 0) continue;
    int64_t row = target.num_elements() / target.dim(0);
    bool padded = false;
    for (const Element& e : elements) {
      padded = padded || e.parts[k].num_elements() != row;
    }
    if (padded && IsPlainData(target.dtype())) {
      std::memset(target.mutable_raw(), 0, static_cast<size_t>(target.bytes()));
    }
    for (size_t r = 0; r < elements.size(); ++r) {
      FillRow(elements[r].parts[k], target, static_cast<int64_t>(r));
    }
  }
}

bool Subsumes(const PartialShape& claimed, const PartialShape& actual) {
  if (!claimed.rank_known()) return true;
  if (!actual.rank_known() || actual.rank() != claimed.rank()) return false;
  for (int i = 0; i < claimed.rank(); ++i) {
    if (claimed[i] >= 0 && claimed[i] != actual[i]) return false;
  }
  return true;
}

PartialShape BatchShape(const PartialShape& shape, int64_t n) {
  if (!shape.rank_known() || shape.rank() >= kMaxRank) return PartialShape();
  std::vector<int64_t> dims{n};
  for (int64_t d : shape.dims()) dims.push_back(d);
  Result<PartialShape> made = PartialShape::Make(dims);
  return made.ok() ? *made : PartialShape();
}

}  // namespace sluice
