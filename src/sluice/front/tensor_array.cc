#include "sluice/front/tensor_array.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/list_call.h"
#include "sluice/front/list.h"

namespace sluice {

using front_internal::AsIndex;
using front_internal::CallOnList;
using front_internal::ForList;
using front_internal::FromList;

namespace {

PartialShape ShapeOf(const Operand& x) {
  return x.is_tensor() ? x.tensor().shape()
                       : PartialShape(x.literal_value().value().shape());
}

// Of slices along the first axis.
PartialShape RowShape(const PartialShape& shape) {
  if (!shape.rank_known() || shape.rank() == 0) return {};
  return *PartialShape::Make(shape.dims().subspan(1));
}

}  // namespace

TensorArray::TensorArray(DType dtype, const Operand& size,
                         const TensorArrayOptions& options, Where where)
    : list_(
          List::sized(dtype, size, options.element_shape, -1, where).tensor()),
      dtype_(dtype),
      shape_(options.element_shape.shape()),
      dynamic_(options.dynamic_size),
      clear_(options.clear_after_read),
      infer_(options.infer_shape),
      name_(options.tensor_array_name) {}

TensorArray::TensorArray(Tensor list, const TensorArray& like)
    : TensorArray(like) {
  list_ = std::move(list);
}

TensorArray TensorArray::Closed() const { return TensorArray(Tensor(), *this); }

const Tensor& TensorArray::Open(std::string_view what, Where where) const {
  if (list_.defined()) return list_;
  throw Error(FailedPrecondition(StrCat("TensorArray::", what, ": the array ",
                                        name_.empty() ? name_ : name_ + " ",
                                        "holds nothing or has been closed"))
                  .WithLine(StrCat("at ", SourceLine::From(where))));
}

TensorArray TensorArray::After(Tensor list, const PartialShape& shape,
                               std::string_view what, Where where) const {
  TensorArray after(std::move(list), *this);
  if (!infer_) return after;
  Result<PartialShape> merged = MergeShapes(shape_, shape);
  if (!merged.ok()) {
    throw Error(
        InvalidArgument(StrCat("TensorArray::", what, ": the element is ",
                               TypeText(dtype_, shape), "; wanted ",
                               TypeText(dtype_, shape_), " as the others"))
            .WithLine(StrCat("at ", SourceLine::From(where))));
  }
  after.shape_ = *merged;
  return after;
}

TensorArray TensorArray::write(const Operand& index, const Operand& x,
                               Where where) const& {
  return TensorArray(*this).write(index, x, where);
}

TensorArray TensorArray::write(const Operand& index, const Operand& x,
                               Where where) && {
  Open("write", where);
  // Whether it fits is known before anything is written.
  TensorArray after = After(Tensor(), ShapeOf(x), "write", where);
  Operand operands[] = {AsIndex("ListSet", index),
                        ForList("ListSet", x, dtype_)};
  after.list_ = CallOnList("ListSet", list_, true, operands,
                           {{"once", true}, {"fixed", !dynamic_}}, where)[0];
  list_ = Tensor();
  return after;
}

TensorArray TensorArray::WriteAll(Tensor pieces, const PartialShape& shape,
                                  std::string_view what, Where where) const {
  Operand operands[] = {Operand(std::move(pieces), where)};
  return After(CallOnList("ListWriteAll", list_, false, operands,
                          {{"once", true}, {"fixed", !dynamic_}}, where)[0],
               shape, what, where);
}

TensorArray TensorArray::unstack(const Operand& x, Where where) const {
  Open("unstack", where);
  Operand typed = front_internal::Typed("ListUnstack", x, dtype_);
  return WriteAll(List::of(typed, where).tensor(), RowShape(ShapeOf(typed)),
                  "unstack", where);
}

TensorArray TensorArray::split(const Operand& x, const Operand& lengths,
                               Where where) const {
  Open("split", where);
  Operand typed = front_internal::Typed("ListSplit", x, dtype_);
  List parts = List::split(typed, lengths, where);
  return WriteAll(parts.tensor(), parts.shape(), "split", where);
}

TensorArray TensorArray::scatter(const Operand& indices, const Operand& x,
                                 Where where) const {
  Open("scatter", where);
  Operand operands[] = {AsIndex("ListScatter", indices),
                        ForList("ListScatter", x, dtype_)};
  return After(CallOnList("ListScatter", list_, false, operands,
                          {{"once", true}, {"fixed", !dynamic_}}, where)[0],
               RowShape(ShapeOf(x)), "scatter", where);
}

Tensor TensorArray::read(const Operand& index, Where where) {
  Open("read", where);
  Operand operands[] = {AsIndex("ListGet", index)};
  Attrs attrs{{"dtype", dtype_}, {"shape", shape_}};
  if (!clear_) {
    return FromList(
        CallOnList("ListGet", list_, false, operands, attrs, where)[0], where);
  }
  std::vector<Tensor> out =
      CallOnList("ListTake", list_, true, operands, attrs, where);
  list_ = out[0];
  return FromList(std::move(out[1]), where);
}

Tensor TensorArray::stack(Where where) const {
  return List(Open("stack", where), dtype_, shape_).stack(where);
}

Tensor TensorArray::gather(const Operand& indices, Where where) const {
  return List(Open("gather", where), dtype_, shape_).gather(indices, where);
}

Tensor TensorArray::concat(Where where) const {
  return List(Open("concat", where), dtype_, shape_).concat(where).values;
}

Tensor TensorArray::size(Where where) const {
  return List(Open("size", where), dtype_, shape_).size(where);
}

}  // namespace sluice
