#include "bindings.h"

namespace sluice::py {

void BindIo(nb::module_&) {}

}  // namespace sluice::py
