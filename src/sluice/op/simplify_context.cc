#include "sluice/op/simplify_context.h"

#include <cmath>
#include <optional>

#include "sluice/base/small_vector.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

// The value that all elements have. Scanning large arrays once per user would
// not be linear.
std::optional<double> UniformValue(const Array* array) {
  constexpr int64_t kMaxLooked = 64;
  if (!array || array->num_elements() < 1 ||
      array->num_elements() > kMaxLooked) {
    return std::nullopt;
  }
  Result<Array> flat = array->AsContiguous();
  if (!flat.ok()) return std::nullopt;
  std::optional<double> value;
  bool uniform = true;
  DispatchReals(array->dtype(), [&]<class T>() {
    for (int64_t i = 0; i < flat->num_elements(); ++i) {
      auto element = static_cast<double>(flat->data<T>()[i]);
      if (!value) value = element;
      uniform = uniform && element == *value &&
                std::signbit(element) == std::signbit(*value);
    }
  });
  return uniform ? value : std::nullopt;
}

}  // namespace

DType SimplifyVar::dtype() const { return context_->TypeOf(id_); }
const PartialShape& SimplifyVar::shape() const {
  return context_->ShapeOf(id_);
}
const Array* SimplifyVar::constant() const { return context_->ConstantOf(id_); }
const OpRecord& SimplifyVar::made_by() const { return context_->MakerOf(id_); }
const Attrs& SimplifyVar::made_with() const {
  return context_->MakerAttrsOf(id_);
}
SimplifyVar SimplifyVar::made_of(int i) const {
  return {context_, context_->InputOf(id_, i)};
}

bool SimplifyContext::is(SimplifyVar v, double constant) const {
  std::optional<double> value = UniformValue(v.constant());
  return value && *value == constant &&
         std::signbit(*value) == std::signbit(constant);
}

bool SimplifyContext::keeps_shape(SimplifyVar x, SimplifyVar c) const {
  const PartialShape &shape = x.shape(), &other = c.shape();
  if (!other.fully_known()) return false;
  if (other.rank() == 0) return true;
  if (!shape.rank_known() || other.rank() > shape.rank()) return false;
  for (int i = 0; i < other.rank(); ++i) {
    int64_t dim = shape[shape.rank() - other.rank() + i];
    if (other[i] != 1 && other[i] != dim) return false;
  }
  return true;
}

bool SimplifyContext::same_type(SimplifyVar a, SimplifyVar b) const {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         a.shape().fully_known();
}

bool SimplifyContext::out_like(SimplifyVar v) const {
  return out_dtype() == v.dtype() && out_shape() == v.shape() &&
         v.shape().fully_known();
}

bool SimplifyContext::becomes(SimplifyVar v) {
  SayValue(v.id_);
  return true;
}

bool SimplifyContext::becomes(std::string_view op,
                              std::initializer_list<SimplifyVar> inputs,
                              const Attrs& attrs) {
  SmallVector<int, 4> ids;
  for (const SimplifyVar& v : inputs) ids.push_back(v.id_);
  SayCall(op, {ids.data(), ids.size()}, attrs);
  return true;
}

bool DropNeutral(SimplifyContext& s, double neutral) {
  for (int i : {1, 0}) {
    SimplifyVar c = s.in(i), x = s.in(1 - i);
    if (s.is(c, neutral) && s.keeps_shape(x, c)) return s.becomes(x);
  }
  return false;
}

bool DropNeutralRight(SimplifyContext& s, double neutral) {
  SimplifyVar x = s.in(0), c = s.in(1);
  return s.is(c, neutral) && s.keeps_shape(x, c) && s.becomes(x);
}

SimplifyVar InnerOfTwice(SimplifyContext& s) {
  bool twice = &s.in(0).made_by() == &s.op();
  return twice ? s.in(0).made_of(0) : SimplifyVar();
}

bool DropTwice(SimplifyContext& s) {
  SimplifyVar x = InnerOfTwice(s);
  return x && s.becomes(x);
}

bool DropToSameShape(SimplifyContext& s) {
  return s.out_like(s.in(0)) && s.becomes(s.in(0));
}

}  // namespace sluice
