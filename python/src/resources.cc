#include "bindings.h"

namespace sluice::py {

void BindResources(nb::module_&) {}

}  // namespace sluice::py
