// Arithmetic of ragged rows: value by value, and reductions of each row.
//
//   sl::Ragged y = sl::softmax(2 * x + bias);      // along each row
//   sl::Tensor best = sl::row_argmax(y);
//
// Two Ragged have equal rows, which is checked. A tensor or a number that meets
// a Ragged is one for all values when it is a scalar, else it has a slice for
// each row, which is broadcast to the row's values. Axes behind the rows
// broadcast from the front: values [n, 4] plus a tensor [rows] or [rows, 4].
// (A tensor that is the same for every value is added by map.)
//
// Reductions give a tensor with a slice for each row; over all values they are
// those of values(). Errors throw sluice::Error. Thread safe.
#pragma once

#include <source_location>

#include "sluice/front/ragged.h"

namespace sluice {

// A Ragged as an operand, with the line it was written on.
class RaggedOperand {
 public:
  RaggedOperand(const Ragged& ragged,
                std::source_location where = std::source_location::current())
      : ragged_(ragged), where_(where) {}
  const Ragged& ragged() const { return ragged_; }
  const std::source_location& where() const { return where_; }

 private:
  const Ragged& ragged_;
  std::source_location where_;
};

// Any elementwise op of two by name: "Maximum".
Ragged ragged_binary(std::string_view op, RaggedOperand a, RaggedOperand b);
Ragged ragged_binary(std::string_view op, RaggedOperand a, const Operand& b);
Ragged ragged_binary(std::string_view op, const Operand& a, RaggedOperand b);
// And of one.
Ragged ragged_unary(std::string_view op, RaggedOperand x);

inline Ragged operator+(RaggedOperand a, RaggedOperand b) {
  return ragged_binary("Add", a, b);
}
inline Ragged operator+(RaggedOperand a, const Operand& b) {
  return ragged_binary("Add", a, b);
}
inline Ragged operator+(const Operand& a, RaggedOperand b) {
  return ragged_binary("Add", a, b);
}
inline Ragged operator-(RaggedOperand a, RaggedOperand b) {
  return ragged_binary("Sub", a, b);
}
inline Ragged operator-(RaggedOperand a, const Operand& b) {
  return ragged_binary("Sub", a, b);
}
inline Ragged operator-(const Operand& a, RaggedOperand b) {
  return ragged_binary("Sub", a, b);
}
inline Ragged operator*(RaggedOperand a, RaggedOperand b) {
  return ragged_binary("Mul", a, b);
}
inline Ragged operator*(RaggedOperand a, const Operand& b) {
  return ragged_binary("Mul", a, b);
}
inline Ragged operator*(const Operand& a, RaggedOperand b) {
  return ragged_binary("Mul", a, b);
}
inline Ragged operator/(RaggedOperand a, RaggedOperand b) {
  return ragged_binary("Div", a, b);
}
inline Ragged operator/(RaggedOperand a, const Operand& b) {
  return ragged_binary("Div", a, b);
}
inline Ragged operator/(const Operand& a, RaggedOperand b) {
  return ragged_binary("Div", a, b);
}
inline Ragged operator-(RaggedOperand x) { return ragged_unary("Neg", x); }

// The functions most often wanted; map takes any other.
inline Ragged abs(RaggedOperand x) { return ragged_unary("Abs", x); }
inline Ragged exp(RaggedOperand x) { return ragged_unary("Exp", x); }
inline Ragged log(RaggedOperand x) { return ragged_unary("Log", x); }
inline Ragged sqrt(RaggedOperand x) { return ragged_unary("Sqrt", x); }
inline Ragged square(RaggedOperand x) { return ragged_unary("Square", x); }
inline Ragged tanh(RaggedOperand x) { return ragged_unary("Tanh", x); }
inline Ragged sigmoid(RaggedOperand x) { return ragged_unary("Sigmoid", x); }
inline Ragged relu(RaggedOperand x) { return ragged_unary("Relu", x); }
inline Ragged gelu(RaggedOperand x) { return ragged_unary("Gelu", x); }
inline Ragged silu(RaggedOperand x) { return ragged_unary("Silu", x); }

// Along each row, and for every place of the axes behind by itself. A row
// without values has none.
Ragged softmax(RaggedOperand x);
Ragged log_softmax(RaggedOperand x);
struct RowCumsumOptions {
  bool exclusive = false;  // leave out the value itself
  bool reverse = false;    // start from the end of each row
};
Ragged row_cumsum(RaggedOperand x, const RowCumsumOptions& options = {});

// Of a row without values: 0 (sum, mean), 1 (prod), the smallest (max) or
// largest (min) number of the type, which is infinite for floats; false (any),
// true (all), -1 (argmax).
Tensor row_sum(RaggedOperand x);
Tensor row_mean(RaggedOperand x);
Tensor row_max(RaggedOperand x);
Tensor row_min(RaggedOperand x);
Tensor row_prod(RaggedOperand x);
// Of values that are not 0.
Tensor row_any(RaggedOperand x);
Tensor row_all(RaggedOperand x);
// Which value of its row is the largest, as i64; of equal ones the first. NaN
// counts as larger than every number.
Tensor row_argmax(RaggedOperand x);

}  // namespace sluice
