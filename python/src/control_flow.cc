#include "bindings.h"

namespace sluice::py {

void BindControlFlow(nb::module_&) {}

}  // namespace sluice::py
