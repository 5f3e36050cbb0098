#include "bindings.h"

namespace sluice::py {

void BindTensorMethods(nb::module_&) {}

}  // namespace sluice::py
