// Arithmetic and comparisons of tensors, elementwise with broadcasting. Types
// that differ are brought together (eager/promote.h): f32 + i64 is f32, i32 +
// i64 is i64, a number of the program takes the tensor's type where its kind
// allows: 2 * x + 1. Integers divided by integers give f32; div() and
// floor_div() give integers.
// +=, -=, *= and /= write in place, through every handle and view, and keep the
// type of what is written: f32 += i64 adds as f32, i64 += f32 is refused. A
// value of a graph, which cannot be written, gives way to the result.
// == and != stay what they are for handles; see equal() and not_equal().
#pragma once

#include "sluice/eager/operand.h"

namespace sluice {

Tensor operator+(Operand a, Operand b);
Tensor operator-(Operand a, Operand b);
Tensor operator*(Operand a, Operand b);
Tensor operator/(Operand a, Operand b);
Tensor operator-(Operand x);

Tensor& operator+=(Tensor& a, const Operand& b);
Tensor& operator-=(Tensor& a, const Operand& b);
Tensor& operator*=(Tensor& a, const Operand& b);
Tensor& operator/=(Tensor& a, const Operand& b);

// Of bool.
Tensor operator<(Operand a, Operand b);
Tensor operator<=(Operand a, Operand b);
Tensor operator>(Operand a, Operand b);
Tensor operator>=(Operand a, Operand b);

}  // namespace sluice
