// Whether a program can tell two Python objects apart: immutable values are
// compared by value, all others by identity.
//
// Under the GIL.
#pragma once

#include "common.h"

namespace sluice::py {

bool SameValue(nb::handle a, nb::handle b);

// A short one-line description of an object, for messages.
std::string ShortRepr(nb::handle object);

}  // namespace sluice::py
