// Arithmetic and comparisons of tensors, elementwise with broadcasting. One
// side may be a C++ value, which takes the other's type: 2 * x + 1.
// == and != stay what they are for handles; see equal() and not_equal().
#pragma once

#include "sluice/front/operand.h"

namespace sluice {

Tensor operator+(Operand a, Operand b);
Tensor operator-(Operand a, Operand b);
Tensor operator*(Operand a, Operand b);
Tensor operator/(Operand a, Operand b);
Tensor operator-(Operand x);

// Of bool.
Tensor operator<(Operand a, Operand b);
Tensor operator<=(Operand a, Operand b);
Tensor operator>(Operand a, Operand b);
Tensor operator>=(Operand a, Operand b);

}  // namespace sluice
