// Tensors written in place.
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/eager/call.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/promote.h"
#include "sluice/eager/recording.h"
#include "sluice/op/registry.h"

namespace sluice {

namespace {

// A tensor as the type of what is written, as in Python: digits may be lost,
// the fraction of a number may not. Copies convert like Cast.
Operand AsWritten(const OpRecord& op, const Operand& operand, DType to) {
  DType from = operand.tensor().dtype();
  if (from == to) return operand;
  bool strings = (to == DType::kString) != (from == DType::kString);
  bool copies = op.role == Role::kOverwrite || op.role == Role::kIndexCopy;
  using front_internal::NumberKind;
  if (strings || (!copies && NumberKind(from) > NumberKind(to))) {
    throw Error(
        InvalidArgument(
            StrCat(
                "[", op.name, "] the result would be of another type than the ",
                DTypeName(to), " tensor it is written to (the other side is ",
                DTypeName(from),
                "); wanted cast(), or an operator that "
                "makes a new tensor"))
            .WithLine(StrCat("at ", SourceLine::From(operand.where()))));
  }
  return Operand(front_internal::CallOne("Cast", {&operand, 1}, {{"dtype", to}},
                                         "", operand.where()),
                 operand.where());
}

// What is copied crosses devices, and what the source writes down goes where
// the tensors are; single numbers of the host do so anyway.
EagerRef There(EagerRef value, const Tensor& target,
               std::source_location where) {
  if (Devices::Count() == 1 || !IsPlainData(value->dtype())) return value;
  Tensor given(value);
  std::string here = given.device(), there = Tensor(target.here()).device();
  bool number = value->shape().rank() == 0 && here == CpuDevice().name_text();
  return number || here == there ? value : given.to(there, where).here();
}

// An operand as an imperative value of the target's type.
EagerRef Other(const OpRecord& op, const Tensor& target,
               const Operand& operand) {
  // Typed by WriteRows.
  bool rows = op.role == Role::kIndexAdd || op.role == Role::kIndexCopy;
  if (operand.is_tensor()) {
    if (rows || !operand.tensor().defined()) return operand.tensor().here();
    EagerRef typed = AsWritten(op, operand, target.dtype()).tensor().here();
    if (op.role != Role::kOverwrite) return typed;
    return There(std::move(typed), target, operand.where());
  }
  DType dtype = target.dtype();
  if (rows) dtype = operand.literal_value().dtype();
  Operand typed = front_internal::Typed(op.name, operand, dtype);
  const Array& value = typed.literal_value().value();
  Recording* recording = Recording::Open();
  EagerRef made =
      recording ? recording->Constant(value) : MakeRef<EagerValue>(value);
  return There(std::move(made), target, operand.where());
}

// target = op(target, others...), in place.
const Tensor& Write(std::string_view name, const Tensor& target,
                    std::initializer_list<Operand> others,
                    std::source_location where) {
  SourceLine line = SourceLine::From(where);
  if (target.symbolic() && !target.traced() && !Recording::Open()) {
    throw Error(FailedPrecondition(
                    StrCat("[", name, "] \"", target.name(),
                           "\" is a value of a graph and cannot be written in "
                           "place; wanted a variable"))
                    .WithLine(StrCat("at ", line)));
  }
  EagerRef here = target.here();
  if (here->traced && !target.symbolic()) {
    if (Status status = CheckWritable(name, *target.eager()); !status.ok()) {
      throw Error(status.WithLine(StrCat("at ", line)));
    }
  }
  const OpRecord& op = *FindOp(name);
  SmallVector<EagerRef, 2> values;
  for (const Operand& operand : others) {
    values.push_back(Other(op, target, operand));
  }
  Status status = EagerCallInPlace(op, here, values, {}, line);
  if (!status.ok()) throw Error(status.WithLine(StrCat("at ", line)));
  return target;
}

}  // namespace

const Tensor& Tensor::add_(const Operand& b, Where where) const {
  return Write("Add", *this, {b}, where);
}
const Tensor& Tensor::sub_(const Operand& b, Where where) const {
  return Write("Sub", *this, {b}, where);
}
const Tensor& Tensor::mul_(const Operand& b, Where where) const {
  return Write("Mul", *this, {b}, where);
}
const Tensor& Tensor::div_(const Operand& b, Where where) const {
  return Write("Div", *this, {b}, where);
}
const Tensor& Tensor::copy_(const Operand& b, Where where) const {
  return Write("Overwrite", *this, {b}, where);
}
const Tensor& Tensor::fill_(const Operand& b, Where where) const {
  return Write("Overwrite", *this, {b}, where);
}
const Tensor& Tensor::zero_(Where where) const {
  return Write("Overwrite", *this, {Operand(0, where)}, where);
}

namespace {

Operand AsType(std::string_view op, const Operand& operand, DType dtype) {
  if (operand.is_tensor()) return operand;
  return front_internal::Typed(op, operand, dtype);
}

const Tensor& WriteRows(std::string_view op, const Tensor& target,
                        const Operand& indices, const Operand& values,
                        std::source_location where) {
  bool given = values.is_tensor() && values.tensor().defined();
  return Write(op, target,
               {AsType(op, indices, DType::kI64),
                given ? AsWritten(*FindOp(op), values, target.dtype())
                      : AsType(op, values, target.dtype())},
               where);
}

}  // namespace

const Tensor& Tensor::scatter_add_(const Operand& indices,
                                   const Operand& values, Where where) const {
  return WriteRows("IndexAdd", *this, indices, values, where);
}
const Tensor& Tensor::scatter_sub_(const Operand& indices,
                                   const Operand& values, Where where) const {
  Operand taken[] = {AsType("IndexAdd", values, dtype())};
  return scatter_add_(
      indices, front_internal::CallOne("Neg", taken, {}, {}, where), where);
}
const Tensor& Tensor::scatter_update_(const Operand& indices,
                                      const Operand& values,
                                      Where where) const {
  return WriteRows("IndexCopy", *this, indices, values, where);
}

}  // namespace sluice
