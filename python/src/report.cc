#include "bindings.h"

namespace sluice::py {

void BindReport(nb::module_&) {}

}  // namespace sluice::py
