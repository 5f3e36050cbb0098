#include "bindings.h"

namespace sluice::py {

void BindNnFunctional(nb::module_&) {}

}  // namespace sluice::py
