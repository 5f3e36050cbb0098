// Conversion of literal numbers to the type of a tensor: either exact, or an
// error. A cast would give 44 for 300 in uint8, 0 for NaN, and drop the
// imaginary part of a complex number.
#pragma once

#include "common.h"
#include "sluice/eager/tensor.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

enum class Negatives {
  kRefused,
  kWrap,  // -1 in uint8 is 255, as in PyTorch
};

// Throws ValueError, or TypeError for a complex number, if `to` cannot hold an
// element; fractions may be truncated. `what` names them in messages.
void CheckWritten(const Array& given, DType to, std::string_view what,
                  Negatives negatives);

// The same for numbers in a tensor; those of a graph are checked at run time.
// Complex ones are always refused.
void CheckWritten(const Tensor& given, DType to, std::string_view what);

// The same, for complex numbers only.
void CheckReal(const Array& given, DType to);

}  // namespace sluice::py
