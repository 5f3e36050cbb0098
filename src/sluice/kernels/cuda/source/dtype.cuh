// Element types, as in tensor/dtype.h.
#pragma once

#include <complex>

#include "sluice/tensor/half.h"

namespace sluice {
using complex64 = std::complex<float>;
}
