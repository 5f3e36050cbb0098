#include "bindings.h"

namespace sluice::py {

void BindOptim(nb::module_&) {}

}  // namespace sluice::py
