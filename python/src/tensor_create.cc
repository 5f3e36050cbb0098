#include "bindings.h"

namespace sluice::py {

void BindTensorCreate(nb::module_&) {}

}  // namespace sluice::py
