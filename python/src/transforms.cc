#include "bindings.h"

namespace sluice::py {

void BindTransforms(nb::module_&) {}

}  // namespace sluice::py
