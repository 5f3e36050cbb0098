#include "sluice/eager/rows.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/recording.h"
#include "sluice/op/registry.h"

namespace sluice {

EagerRef MakeRows(EagerRef indices, EagerRef values, DType dtype,
                  const Shape& shape) {
  EagerRef made = MakeRef<EagerValue>(Array::Borrow(nullptr, dtype, shape));
  made->rows = std::make_unique<EagerRows>();
  made->rows->indices = std::move(indices);
  made->rows->values = std::move(values);
  return made;
}

EagerRef MakeRows(EagerRef indices, EagerRef values, Recording& recording,
                  Value shape, const ValueType& type) {
  EagerRef made = MakeRef<EagerValue>(Array());
  made->traced = std::make_unique<TraceState>();
  made->traced->recording = &recording;
  made->traced->rows_shape = shape;
  made->traced->rows_dtype = type.dtype;
  made->traced->dense = type.shape;
  made->rows = std::make_unique<EagerRows>();
  made->rows->indices = std::move(indices);
  made->rows->values = std::move(values);
  return made;
}

namespace {

// Rows for the same value as others.
EagerRef RowsLike(const EagerValue& like, EagerRef indices, EagerRef values) {
  if (!like.traced) {
    return MakeRows(std::move(indices), std::move(values), like.array.dtype(),
                    like.array.shape());
  }
  const TraceState& t = *like.traced;
  return MakeRows(std::move(indices), std::move(values), *t.recording,
                  t.rows_shape, {t.rows_dtype, t.dense});
}

Result<EagerRef> Call(std::string_view op, std::span<const EagerRef> inputs,
                      const Attrs& attrs = {}) {
  EagerResults made;
  SL_RETURN_IF_ERROR(EagerCall(*FindOp(op), inputs, attrs, {}, made));
  return made[0];
}

// Only whoever holds this reference sees the elements, and each is there once:
// gradients of sums are often one row seen many times.
bool Owned(const EagerRef& v) {
  return !v->traced && v->unique() && v->array.unique() &&
         v->array.contiguous() && !v->view;
}

Result<EagerRef> Indices(const EagerRef& v, bool wide) {
  if (!wide || v->dtype() == DType::kI64) return v;
  return Call("Cast", {&v, 1}, {{"dtype", DType::kI64}});
}

Result<EagerRef> JoinRows(const EagerValue& a, const EagerValue& b) {
  const EagerRows &x = *a.rows, &y = *b.rows;
  bool wide = x.indices->dtype() != y.indices->dtype();
  EagerRef indices[2], values[] = {x.values, y.values};
  SL_ASSIGN_OR_RETURN(indices[0], Indices(x.indices, wide));
  SL_ASSIGN_OR_RETURN(indices[1], Indices(y.indices, wide));
  SL_ASSIGN_OR_RETURN(EagerRef at, Call("Concat", indices));
  SL_ASSIGN_OR_RETURN(EagerRef all, Call("Concat", values));
  return RowsLike(a, std::move(at), std::move(all));
}

Result<EagerRef> AddRows(EagerRef dense, const EagerRows& rows, bool record) {
  EagerRef more[] = {rows.indices, rows.values};
  if (!record && Owned(dense)) {
    SL_RETURN_IF_ERROR(
        EagerCallInPlace(*FindOp("IndexAdd"), dense, more, {}, {}));
    return dense;
  }
  EagerRef all[] = {std::move(dense), rows.indices, rows.values};
  return Call("IndexAdd", all);
}

}  // namespace

Result<EagerRef> DenseGradient(const EagerRef& gradient) {
  if (!gradient || !gradient->rows) return gradient;
  EagerRef sizes;
  if (const TraceState* t = gradient->traced.get()) {
    sizes = t->recording->Adopt(t->rows_shape);
  } else {
    sizes = MakeRef<EagerValue>(
        Array::Vector(Shape(gradient->array.shape()).dims()));
  }
  EagerRef in[] = {gradient->rows->values, gradient->rows->indices, sizes};
  return Call("GatherGrad", in);
}

Result<EagerRef> AddGradients(EagerRef a, EagerRef b, bool record) {
  static const OpRecord* add = FindOp("Add");
  if (a->dtype() == DType::kList) {
    EagerRef both[] = {std::move(a), std::move(b)};
    return Call("ListAdd", both);
  }
  if (a->rows && b->rows) return JoinRows(*a, *b);
  if (a->rows) std::swap(a, b);
  if (b->rows) {
    DType dtype = a->dtype();
    if (dtype == DType::kF32 || dtype == DType::kF64) {
      return AddRows(std::move(a), *b->rows, record);
    }
    // Halves are better summed in float first, which IndexAdd does not do.
    SL_ASSIGN_OR_RETURN(b, DenseGradient(b));
  }
  if (!record && Owned(a)) {
    SL_RETURN_IF_ERROR(EagerCallInPlace(*add, a, {&b, 1}, {}, {}));
    return a;
  }
  EagerRef both[] = {std::move(a), std::move(b)};
  return Call("Add", both);
}

namespace {

Tensor CallOne(std::string_view op, std::vector<Operand> in,
               const Attrs& attrs = {},
               std::source_location where = std::source_location::current()) {
  return front_internal::CallOne(op, in, attrs, {}, where);
}

// The parts of a sparse gradient put together again.
Tensor Rows(const Tensor& like, const Tensor& indices, const Tensor& values) {
  if (like.traced()) {
    return Tensor(RowsLike(*like.identity(), indices.here(), values.here()));
  }
  if (!values.symbolic()) {
    return Tensor(MakeRows(indices.eager(), values.eager(), like.dtype(),
                           like.shape().ToShape()));
  }
  auto rows = MakeRef<Tensor::GraphRows>();
  rows->indices = indices.value();
  rows->values = values.value();
  Tensor shape = like.dense_shape();
  if (!shape.symbolic()) {
    shape = CallOne("Const", {}, {{"value", shape.array()}});
  }
  rows->shape = shape.value();
  rows->dense = like.shape();
  return Tensor(values.graph(), std::move(rows));
}

}  // namespace

Tensor RowsAt(const Tensor& like, const Tensor& indices, const Tensor& values) {
  return Tensor(RowsLike(*like.identity(), indices.here(), values.here()));
}

EagerRef GradientRef(const Tensor& gradient) {
  if (gradient.traced()) return gradient.identity();
  return gradient.is_sparse() ? gradient.eager_gradient() : gradient.here();
}

Tensor GradientTensor(Graph& graph, const GradientValue& found,
                      const PartialShape& shape) {
  if (!found.rows()) return TensorIn(graph, found.dense);
  auto rows = MakeRef<Tensor::GraphRows>();
  rows->indices = found.indices;
  rows->values = found.values;
  rows->shape = found.shape;
  rows->dense = shape;
  return Tensor(graph, std::move(rows));
}

Tensor AddGradients(const Tensor& a, const Tensor& b) {
  if (a.is_sparse() && b.is_sparse()) {
    Tensor at[] = {a.indices(), b.indices()};
    if (at[0].dtype() != at[1].dtype()) {
      for (Tensor& t : at) t = CallOne("Cast", {t}, {{"dtype", DType::kI64}});
    }
    return Rows(b.symbolic() ? b : a, CallOne("Concat", {at[0], at[1]}),
                CallOne("Concat", {a.values(), b.values()}));
  }
  const Tensor &dense = a.is_sparse() ? b : a, &rows = a.is_sparse() ? a : b;
  bool exact = a.dtype() == DType::kF32 || a.dtype() == DType::kF64;
  if (rows.is_sparse() && exact) {
    return CallOne("IndexAdd", {dense, rows.indices(), rows.values()});
  }
  return CallOne("Add", {a.to_dense(), b.to_dense()});
}

Tensor Tensor::indices() const {
  if (rows_) return Tensor(*graph_, rows_->indices);
  if (is_sparse()) return Tensor(eager_->rows->indices);
  throw Error(FailedPrecondition(StrCat(
      "indices: ", defined() ? ToString() : "a Tensor that holds nothing",
      " is not sparse")));
}

Tensor Tensor::values() const {
  if (rows_) return Tensor(*graph_, rows_->values);
  if (is_sparse()) return Tensor(eager_->rows->values);
  throw Error(FailedPrecondition(
      StrCat("values: ", defined() ? ToString() : "a Tensor that holds nothing",
             " is not sparse")));
}

Tensor Tensor::dense_shape() const {
  if (rows_) return Tensor(*graph_, rows_->shape);
  if (traced() && is_sparse()) {
    return Tensor(eager_->traced->recording->Adopt(eager_->traced->rows_shape));
  }
  Shape sizes = is_sparse() ? eager_->array.shape() : array().shape();
  return Tensor(MakeRef<EagerValue>(Array::Vector(sizes.dims())));
}

Tensor Tensor::to_dense(Where where) const {
  if (!is_sparse()) return *this;
  return CallOne("GatherGrad", {values(), indices(), dense_shape()}, {}, where);
}

Tensor Tensor::coalesce(Where where) const {
  Operand at[] = {indices()};
  std::vector<Tensor> unique =
      front_internal::CallMany("Unique", at, {{"sorted", true}}, {}, where);
  // As many slices as there are different indices.
  using Ints = std::vector<int64_t>;
  Tensor count = CallOne("Shape", {unique[0]}, {}, where);
  Tensor rest = CallOne("Slice", {CallOne("Shape", {values()}, {}, where)},
                        {{"begin", Ints{1}}, {"size", Ints{-1}}}, where);
  Tensor sizes = CallOne("Concat", {count, rest}, {}, where);
  Tensor sums = CallOne("GatherGrad", {values(), unique[1], sizes}, {}, where);
  return Rows(*this, unique[0], sums);
}

}  // namespace sluice
