// Numbers written down in a program, on their way into a tensor of some type:
// they are what they say there, or an error. A cast would give 44 for 300 in
// uint8, 0 for NaN, and drop the imaginary part of a complex number.
#pragma once

#include "common.h"
#include "sluice/eager/tensor.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

enum class Negatives {
  kRefused,
  kWrap,  // -1 in uint8 is 255, as PyTorch writes it
};

// Throws ValueError, or TypeError for a complex number, where elements are not
// what `to` holds; a fraction may be cut off. `what` names them in messages.
void CheckWritten(const Array& given, DType to, std::string_view what,
                  Negatives negatives);

// The same for numbers in a tensor; those of a graph are looked at when it
// runs. Complex ones are refused whatever their imaginary part.
void CheckWritten(const Tensor& given, DType to, std::string_view what);

// The same, for complex numbers alone.
void CheckReal(const Array& given, DType to);

}  // namespace sluice::py
