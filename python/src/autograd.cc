#include "bindings.h"

namespace sluice::py {

void BindAutograd(nb::module_&) {}

}  // namespace sluice::py
