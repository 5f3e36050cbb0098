#include "bindings.h"

namespace sluice::py {

void BindGraph(nb::module_&) {}

}  // namespace sluice::py
