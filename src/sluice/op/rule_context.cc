#include "sluice/op/rule_context.h"

#include "sluice/base/strings.h"
#include "sluice/op/registry.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

DType RuleVar::dtype() const {
  return context_ ? context_->TypeOf(id_) : DType::kInvalid;
}

PartialShape RuleVar::shape() const {
  return context_ ? context_->ShapeOf(id_) : PartialShape();
}

void RuleContext::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

void RuleContext::fail(std::string_view message) {
  Fail(InvalidArgument(StrCat("[", op_.name, "] ", message)));
}

bool RuleContext::Call(std::string_view op, std::span<const RuleVar> inputs,
                       const Attrs& attrs, Ids& made) {
  if (!status_.ok()) return false;
  const OpRecord* record = FindOp(op);
  if (!record) {
    Fail(Internal(StrCat("[", op_.name, "] its ", what_, " calls ", op,
                         ", which does not exist")));
    return false;
  }
  Ids ids;
  for (const RuleVar& v : inputs) {
    if (!v) {
      Fail(Internal(StrCat("[", op_.name, "] its ", what_, " gives ", op,
                           " an undefined operand")));
      return false;
    }
    ids.push_back(v.id_);
  }
  Status status = Emit(*record, ids, attrs, made);
  if (status.ok()) return true;
  Fail(std::move(status));
  return false;
}

RuleVar RuleContext::call(std::string_view op,
                          std::initializer_list<RuleVar> inputs,
                          const Attrs& attrs) {
  return call(op, std::span<const RuleVar>(inputs.begin(), inputs.size()),
              attrs);
}

RuleVar RuleContext::call(std::string_view op, std::span<const RuleVar> inputs,
                          const Attrs& attrs) {
  Ids made;
  if (!Call(op, inputs, attrs, made)) return {};
  return {this, made[0]};
}

RuleVars RuleContext::call_all(std::string_view op,
                               std::span<const RuleVar> inputs,
                               const Attrs& attrs) {
  Ids made;
  RuleVars vars;
  if (!Call(op, inputs, attrs, made)) return vars;
  for (int id : made) vars.push_back(RuleVar(this, id));
  return vars;
}

RuleVar RuleContext::constant(Array value) {
  return call("Const", {}, {{"value", std::move(value)}});
}

RuleVar RuleContext::scalar(double value, DType dtype) {
  Array array = Array::Zeros(dtype, Shape());
  bool real = DispatchReals(dtype, [&]<class T>() {
    *array.mutable_data<T>() = static_cast<T>(value);
  });
  if (!real && dtype == DType::kC64) {
    *array.mutable_data<complex64>() = static_cast<float>(value);
  }
  return constant(std::move(array));
}

RuleVar RuleContext::ints(std::span<const int64_t> values) {
  return constant(Array::Vector(values));
}

RuleVar RuleContext::shape_of(RuleVar x) {
  if (!x) return {};
  PartialShape shape = x.shape();
  if (!shape.fully_known()) return call("Shape", {x});
  return ints(shape.dims());
}

RuleVar RuleContext::reshape_as(RuleVar x, RuleVar like) {
  if (!x || !like) return {};
  PartialShape from = x.shape(), to = like.shape();
  if (from.fully_known() && from == to) return x;
  return call("Reshape", {x, shape_of(like)});
}

RuleVar RuleContext::broadcast_as(RuleVar x, RuleVar like) {
  if (!x || !like) return {};
  PartialShape from = x.shape(), to = like.shape();
  if (from.fully_known() && from == to) return x;
  return call("BroadcastTo", {x, shape_of(like)});
}

RuleVar RuleContext::sum_to(RuleVar x, RuleVar like) {
  if (!x || !like) return {};
  PartialShape from = x.shape(), to = like.shape();
  if (from.fully_known() && from == to) return x;
  return call("SumTo", {x, shape_of(like)});
}

RuleVar RuleContext::zeros_like(RuleVar x) {
  if (x && x.dtype() == DType::kList) return call("ListZero", {});
  return x ? call("ZerosLike", {x}) : RuleVar();
}

RuleVar RuleContext::ones_like(RuleVar x) {
  return x ? call("OnesLike", {x}) : RuleVar();
}

RuleVar RuleContext::cast(RuleVar x, DType dtype) {
  if (!x || x.dtype() == dtype) return x;
  return call("Cast", {x}, {{"dtype", dtype}});
}

}  // namespace sluice
