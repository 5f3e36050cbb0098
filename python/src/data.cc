#include "bindings.h"

namespace sluice::py {

void BindData(nb::module_&) {}

}  // namespace sluice::py
