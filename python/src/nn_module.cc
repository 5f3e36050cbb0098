#include "bindings.h"

namespace sluice::py {

void BindNnModule(nb::module_&) {}

}  // namespace sluice::py
