#include "bindings.h"

namespace sluice::py {

void BindVariable(nb::module_&) {}

}  // namespace sluice::py
