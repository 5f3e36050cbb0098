#include "sluice/front/list.h"

#include "sluice/eager/list_call.h"

namespace sluice {

using front_internal::AsIndex;
using front_internal::CallOne;
using front_internal::CallOnList;
using front_internal::ForList;
using front_internal::FromList;

namespace {

Attrs ElementAttrs(const List& list) {
  return {{"dtype", list.dtype()}, {"shape", list.shape()}};
}

// The shape of slices along the first axis.
PartialShape RowShape(const PartialShape& shape) {
  if (!shape.rank_known() || shape.rank() == 0) return {};
  return *PartialShape::Make(shape.dims().subspan(1));
}

DType TypeOf(const Operand& x) {
  return x.is_tensor() ? x.tensor().dtype() : x.literal_value().dtype();
}

}  // namespace

List::List(DType dtype, const PartialSizes& shape, Where where)
    : List(sized(dtype, int64_t{0}, shape, -1, where)) {}

List List::sized(DType dtype, const Operand& size, const PartialSizes& shape,
                 int64_t max_size, Where where) {
  Operand operands[] = {AsIndex("ListNew", size)};
  Attrs attrs{{"dtype", dtype}, {"shape", shape.shape()}};
  if (max_size >= 0) attrs.set("max_size", max_size);
  return {CallOne("ListNew", operands, attrs, "", where), dtype, shape};
}

List List::of(const Operand& x, Where where) {
  Operand operands[] = {ForList("ListUnstack", x, TypeOf(x))};
  PartialShape shape = x.is_tensor()
                           ? x.tensor().shape()
                           : PartialShape(x.literal_value().value().shape());
  return {CallOne("ListUnstack", operands, {}, "", where), TypeOf(x),
          RowShape(shape)};
}

List List::split(const Operand& x, const Operand& lengths, Where where) {
  Operand operands[] = {ForList("ListSplit", x, TypeOf(x)),
                        AsIndex("ListSplit", lengths)};
  PartialShape shape = x.is_tensor()
                           ? x.tensor().shape()
                           : PartialShape(x.literal_value().value().shape());
  if (shape.rank() > 0) shape.set_dim(0, kUnknownDim);
  return {CallOne("ListSplit", operands, {}, "", where), TypeOf(x), shape};
}

List List::Write(std::string_view op, std::span<const Operand> operands,
                 Where where) const& {
  return With(CallOnList(op, list_, false, operands, {}, where)[0]);
}

List List::Write(std::string_view op, std::span<const Operand> operands,
                 Where where) && {
  Tensor out = CallOnList(op, list_, true, operands, {}, where)[0];
  list_ = Tensor();
  return With(std::move(out));
}

Tensor List::size(Where where) const {
  return CallOnList("ListSize", list_, false, {}, {}, where)[0];
}

Tensor List::get(const Operand& index, Where where) const {
  Operand operands[] = {AsIndex("ListGet", index)};
  return FromList(CallOnList("ListGet", list_, false, operands,
                             ElementAttrs(*this), where)[0],
                  where);
}

List List::get_list(const Operand& index, DType dtype,
                    const PartialSizes& shape, Where where) const {
  return {get(index, where), dtype, shape};
}

List List::append(const Operand& x, Where where) const& {
  Operand operands[] = {ForList("ListAppend", x, dtype_)};
  return Write("ListAppend", operands, where);
}

List List::append(const Operand& x, Where where) && {
  Operand operands[] = {ForList("ListAppend", x, dtype_)};
  return std::move(*this).Write("ListAppend", operands, where);
}

List List::append(const List& inner, Where where) const& {
  return append(Operand(inner.tensor(), where), where);
}

List List::append(const List& inner, Where where) && {
  return std::move(*this).append(Operand(inner.tensor(), where), where);
}

List List::set(const Operand& index, const Operand& x, Where where) const& {
  Operand operands[] = {AsIndex("ListSet", index),
                        ForList("ListSet", x, dtype_)};
  return Write("ListSet", operands, where);
}

List List::set(const Operand& index, const Operand& x, Where where) && {
  Operand operands[] = {AsIndex("ListSet", index),
                        ForList("ListSet", x, dtype_)};
  return std::move(*this).Write("ListSet", operands, where);
}

std::pair<List, Tensor> List::pop(Where where) const& {
  std::vector<Tensor> out =
      CallOnList("ListPop", list_, false, {}, ElementAttrs(*this), where);
  return {With(out[0]), FromList(std::move(out[1]), where)};
}

std::pair<List, Tensor> List::pop(Where where) && {
  std::vector<Tensor> out =
      CallOnList("ListPop", list_, true, {}, ElementAttrs(*this), where);
  list_ = Tensor();
  return {With(out[0]), FromList(std::move(out[1]), where)};
}

List List::resize(const Operand& size, Where where) const& {
  Operand operands[] = {AsIndex("ListResize", size)};
  return Write("ListResize", operands, where);
}

List List::resize(const Operand& size, Where where) && {
  Operand operands[] = {AsIndex("ListResize", size)};
  return std::move(*this).Write("ListResize", operands, where);
}

List List::scatter(const Operand& indices, const Operand& xs,
                   Where where) const& {
  Operand operands[] = {AsIndex("ListScatter", indices),
                        ForList("ListScatter", xs, dtype_)};
  return Write("ListScatter", operands, where);
}

List List::scatter(const Operand& indices, const Operand& xs, Where where) && {
  Operand operands[] = {AsIndex("ListScatter", indices),
                        ForList("ListScatter", xs, dtype_)};
  return std::move(*this).Write("ListScatter", operands, where);
}

List List::zeros_like(Where where) const {
  return With(CallOnList("ListZerosLike", list_, false, {}, {}, where)[0]);
}

Tensor List::stack(Where where) const {
  return CallOnList("ListStack", list_, false, {}, ElementAttrs(*this),
                    where)[0];
}

Tensor List::gather(const Operand& indices, Where where) const {
  Operand operands[] = {AsIndex("ListGather", indices)};
  return CallOnList("ListGather", list_, false, operands, ElementAttrs(*this),
                    where)[0];
}

List::Joined List::concat(Where where) const {
  std::vector<Tensor> out =
      CallOnList("ListConcat", list_, false, {}, ElementAttrs(*this), where);
  return {out[0], out[1]};
}

}  // namespace sluice
