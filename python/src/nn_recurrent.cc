#include "bindings.h"

namespace sluice::py {

void BindNnRecurrent(nb::module_&) {}

}  // namespace sluice::py
