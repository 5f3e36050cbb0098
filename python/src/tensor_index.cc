#include "bindings.h"

namespace sluice::py {

void BindTensorIndex(nb::module_&) {}

}  // namespace sluice::py
