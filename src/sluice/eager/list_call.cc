#include "sluice/eager/list_call.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/eager_op.h"
#include "sluice/eager/same_memory.h"
#include "sluice/op/registry.h"
#include "sluice/tensor/list.h"

namespace sluice::front_internal {

namespace {

// Whether a write through another tensor could reach these elements.
bool OthersMayWrite(const Tensor& t) {
  const EagerValue& value = *t.eager();
  return !value.unique() || value.view || !value.array.unique();
}

}  // namespace

Operand ForList(std::string_view op, const Operand& x, DType dtype) {
  if (!x.is_tensor()) return Typed(op, x, dtype);
  const Tensor& t = x.tensor();
  if (!t.defined() || IsReference(t.dtype()) || !RunsNow({t})) return x;
  return OthersMayWrite(t) ? Operand(t.clone(x.where()), x.where()) : x;
}

Operand AsIndex(std::string_view op, const Operand& index) {
  return Typed(op, index, DType::kI64);
}

namespace {

Status RunTaking(std::string_view name, EagerValue& list,
                 std::span<const Operand> operands, const Attrs& attrs,
                 const SourceLine& line, std::vector<Tensor>& results) {
  SL_ASSIGN_OR_RETURN(const OpRecord* op, LookupOp(name));
  std::vector<Array> in{list.array};
  for (const Operand& o : operands) {
    if (o.is_tensor() && !o.tensor().defined()) {
      return InvalidArgument(
          StrCat("[", name, "] an operand is a Tensor that holds nothing"));
    }
    in.push_back(o.is_tensor() ? o.tensor().array()
                               : o.literal_value().value());
  }
  std::vector<const Array*> pointers;
  for (const Array& a : in) pointers.push_back(&a);
  SL_ASSIGN_OR_RETURN(Ref<EagerOp> found, EagerOp::Find(*op, attrs, pointers));
  std::vector<Array> out(found->num_outputs());
  // From here on the list has one holder. Kernels of lists check first and
  // write then, so that after an error it is what it was.
  list.array = Array();
  Status status = found->RunTaking(in, out);
  if (!status.ok()) {
    list.array = in[0];
    return status;
  }
  in.clear();
  for (Array& a : out) {
    EagerRef value = MakeRef<EagerValue>(std::move(a));
    value->line = line;
    results.push_back(Tensor(std::move(value)));
  }
  return OkStatus();
}

}  // namespace

std::vector<Tensor> CallOnList(std::string_view op, const Tensor& list,
                               bool take, std::span<const Operand> operands,
                               const Attrs& attrs, std::source_location where) {
  std::vector<Tensor> all{list};
  for (const Operand& o : operands) {
    if (o.is_tensor()) all.push_back(o.tensor());
  }
  bool now = list.defined() && RunsNow(all);
  // What is recorded for gradients needs a list of its own.
  bool tracked = false;
  for (const Tensor& t : all) {
    tracked = tracked || (now && t.defined() && t.eager()->tracked());
  }
  all.clear();
  if (take && now && !OthersMayWrite(list) && !tracked) {
    std::vector<Tensor> results;
    SourceLine line = SourceLine::From(where);
    Status status =
        RunTaking(op, *list.eager(), operands, attrs, line, results);
    if (!status.ok()) throw Error(status.WithLine(StrCat("at ", line)));
    return results;
  }
  std::vector<Operand> inputs{Operand(list, where)};
  inputs.insert(inputs.end(), operands.begin(), operands.end());
  return CallMany(op, inputs, attrs, "", where);
}

Array ApartFrom(Array list, std::span<const Array> others) {
  if (ListOf(list) && ListOf(list)->holds_copies()) return list;
  for (int64_t i = 0; ListOf(list) && i < ListOf(list)->size(); ++i) {
    Array element = ListOf(list)->at(i);
    if (!element) continue;
    Array own;
    if (ListOf(element)) {
      own = ApartFrom(element, others);
      if (own.rep() == element.rep()) continue;
    } else {
      bool apart = true;
      for (const Array& o : others) {
        apart = apart && (IsReference(o.dtype()) || !SameMemory(element, o));
      }
      if (apart) continue;
      own = ValueOrThrow(element.Clone());
    }
    list = ValueOrThrow(WritableList(list));
    ListOf(list)->Set(i, std::move(own));
  }
  return list;
}

Tensor FromList(Tensor element, std::source_location where) {
  if (element.symbolic() || IsReference(element.dtype()) ||
      !OthersMayWrite(element)) {
    return element;
  }
  return element.clone(where);
}

}  // namespace sluice::front_internal
