// Python's operators on tensors: a + b, a @ b, a < b, -a, a += b.
#pragma once

#include "common.h"

namespace sluice::py {

// For the class; lives as long as the process.
PyType_Slot* TensorSlots();

}  // namespace sluice::py
