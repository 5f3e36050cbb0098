#include "bindings.h"

namespace sluice::py {

void BindSession(nb::module_&) {}

}  // namespace sluice::py
