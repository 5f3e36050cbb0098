// Operand: an argument of an op: a Tensor, a Variable (its present value) or a
// Literal. It also records the line it was written on, which is how operators,
// which can have no hidden arguments, know theirs.
//
// Lives for one call.
#pragma once

#include <concepts>
#include <initializer_list>
#include <source_location>
#include <vector>

#include "sluice/eager/literal.h"
#include "sluice/eager/tensor.h"

namespace sluice {

inline namespace front {
class Variable;
}

class Operand {
 public:
  using Where = std::source_location;

  Operand(Tensor tensor, Where where = Where::current())
      : tensor_(std::move(tensor)), literal_(Array()), where_(where) {}
  Operand(const Variable& variable, Where where = Where::current());

  template <class T>
    requires std::constructible_from<Literal, const T&>
  Operand(const T& value, Where where = Where::current())
      : literal_(value), where_(where) {}
  template <front_internal::ElementLike T>
  Operand(std::initializer_list<T> values, Where where = Where::current())
      : literal_(values), where_(where) {}
  template <front_internal::ElementLike T>
  Operand(std::initializer_list<std::initializer_list<T>> rows,
          Where where = Where::current())
      : literal_(rows), where_(where) {}
  Operand(std::initializer_list<int64_t> values, Where where = Where::current())
      : literal_(values), where_(where) {}

  bool is_tensor() const { return tensor_.defined() || !literal(); }
  // Throws when this is a default-made Tensor.
  const Tensor& tensor() const { return tensor_; }
  const Literal& literal_value() const { return literal_; }
  const Where& where() const { return where_; }

 private:
  bool literal() const { return static_cast<bool>(literal_.value()); }

  Tensor tensor_;
  Literal literal_;
  Where where_;
};

// For ops that take any number of operands: {a, b, c}, or a vector of tensors.
class OperandList {
 public:
  OperandList(std::initializer_list<Operand> operands);
  OperandList(std::vector<Operand> operands);
  OperandList(const std::vector<Tensor>& tensors);

  const std::vector<Operand>& list() const { return list_; }

 private:
  std::vector<Operand> list_;
};

}  // namespace sluice
