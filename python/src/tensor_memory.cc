#include "bindings.h"

namespace sluice::py {

void BindTensorMemory(nb::module_&) {}

}  // namespace sluice::py
