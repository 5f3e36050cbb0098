#include "sluice/op/grad_context.h"

#include "sluice/base/strings.h"
#include "sluice/op/registry.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

DType GradVar::dtype() const {
  return context_ ? context_->TypeOf(id_) : DType::kInvalid;
}

PartialShape GradVar::shape() const {
  return context_ ? context_->ShapeOf(id_) : PartialShape();
}

void GradContext::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

void GradContext::fail(std::string_view message) {
  Fail(InvalidArgument(StrCat("[", op_.name, "] ", message)));
}

GradVar GradContext::dy(int i) {
  int& id = dy_[static_cast<size_t>(i)];
  if (id < 0) {
    GradVar zeros = zeros_like(out(i));
    if (!zeros) return {};
    id = zeros.id_;
  }
  return {this, id};
}

GradVar GradContext::times_dy(GradVar factor, int i) {
  GradVar flow = dy(i);
  if (!flow || !factor) return {};
  return call("MulNoNan", {flow, factor});
}

void GradContext::set_dx(int i, GradVar gradient) {
  auto k = static_cast<size_t>(i);
  if (!gradient || !wants_[k]) return;
  if (op_.elementwise()) gradient = sum_to(gradient, in(i));
  if (gradient) dx_[k] = gradient.id_;
}

void GradContext::set_dx_rows(int i, GradVar indices, GradVar values) {
  auto k = static_cast<size_t>(i);
  if (!indices || !values || !wants_[k]) return;
  dx_rows_.resize(dx_.size(), -1);
  dx_rows_[k] = indices.id_;
  dx_[k] = values.id_;
}

bool GradContext::Call(std::string_view op, std::span<const GradVar> inputs,
                       const Attrs& attrs, Ids& made) {
  if (!status_.ok()) return false;
  const OpRecord* record = FindOp(op);
  if (!record) {
    Fail(Internal(StrCat("[", op_.name, "] its gradient calls ", op,
                         ", which does not exist")));
    return false;
  }
  Ids ids;
  for (const GradVar& v : inputs) {
    if (!v) {
      Fail(Internal(StrCat("[", op_.name, "] its gradient gives ", op,
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

GradVar GradContext::call(std::string_view op,
                          std::initializer_list<GradVar> inputs,
                          const Attrs& attrs) {
  Ids made;
  if (!Call(op, {inputs.begin(), inputs.size()}, attrs, made)) return {};
  return {this, made[0]};
}

GradVars GradContext::call_all(std::string_view op,
                               std::span<const GradVar> inputs,
                               const Attrs& attrs) {
  Ids made;
  GradVars vars;
  if (!Call(op, inputs, attrs, made)) return vars;
  for (int id : made) vars.push_back(GradVar(this, id));
  return vars;
}

GradVar GradContext::constant(Array value) {
  return call("Const", {}, {{"value", std::move(value)}});
}

GradVar GradContext::scalar(double value, DType dtype) {
  Array array = Array::Zeros(dtype, Shape());
  bool real = DispatchReals(dtype, [&]<class T>() {
    *array.mutable_data<T>() = static_cast<T>(value);
  });
  if (!real && dtype == DType::kC64) {
    *array.mutable_data<complex64>() = static_cast<float>(value);
  }
  return constant(std::move(array));
}

GradVar GradContext::ints(std::span<const int64_t> values) {
  return constant(Array::Vector(values));
}

GradVar GradContext::shape_of(GradVar x) {
  if (!x) return {};
  PartialShape shape = x.shape();
  if (!shape.fully_known()) return call("Shape", {x});
  return ints(shape.dims());
}

GradVar GradContext::reshape_as(GradVar x, GradVar like) {
  if (!x || !like) return {};
  PartialShape from = x.shape(), to = like.shape();
  if (from.fully_known() && from == to) return x;
  return call("Reshape", {x, shape_of(like)});
}

GradVar GradContext::broadcast_as(GradVar x, GradVar like) {
  if (!x || !like) return {};
  PartialShape from = x.shape(), to = like.shape();
  if (from.fully_known() && from == to) return x;
  return call("BroadcastTo", {x, shape_of(like)});
}

GradVar GradContext::sum_to(GradVar x, GradVar like) {
  if (!x || !like) return {};
  PartialShape from = x.shape(), to = like.shape();
  if (from.fully_known() && from == to) return x;
  return call("SumTo", {x, shape_of(like)});
}

GradVar GradContext::zeros_like(GradVar x) {
  if (x && x.dtype() == DType::kList) return call("ListZero", {});
  return x ? call("ZerosLike", {x}) : GradVar();
}

GradVar GradContext::ones_like(GradVar x) {
  return x ? call("OnesLike", {x}) : GradVar();
}

GradVar GradContext::cast(GradVar x, DType dtype) {
  if (!x || x.dtype() == dtype) return x;
  return call("Cast", {x}, {{"dtype", dtype}});
}

}  // namespace sluice
