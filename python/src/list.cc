#include "bindings.h"

namespace sluice::py {

void BindList(nb::module_&) {}

}  // namespace sluice::py
