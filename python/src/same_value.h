// Whether two Python objects are one to a program that reads them: values that
// cannot change are compared as such, everything else is itself.
//
// Under the GIL.
#pragma once

#include "common.h"

namespace sluice::py {

bool SameValue(nb::handle a, nb::handle b);

// What an object is, on one short line, for messages.
std::string ShortRepr(nb::handle object);

}  // namespace sluice::py
