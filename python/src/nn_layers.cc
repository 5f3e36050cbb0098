#include "bindings.h"

namespace sluice::py {

void BindNnLayers(nb::module_&) {}

}  // namespace sluice::py
