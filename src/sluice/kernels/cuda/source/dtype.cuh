// Element types, as tensor/dtype.h has them.
#pragma once

#include <complex>

#include "sluice/tensor/half.h"

namespace sluice {
using complex64 = std::complex<float>;
}
