#include "bindings.h"

namespace sluice::py {

void BindFunction(nb::module_&) {}

}  // namespace sluice::py
