#include "bindings.h"

namespace sluice::py {

void BindInfo(nb::module_&) {}

}  // namespace sluice::py
