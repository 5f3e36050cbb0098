// How many stretches of C++ run without the GIL, on any thread (ReleaseGil).
// While there is one, tensors may change hands under the eyes of whoever looks
// at them; when there is none, whoever has the GIL is alone with those that
// Python objects own.
#pragma once

namespace sluice::py {

// REQUIRES: the GIL. Does not change while it is held.
int StretchesWithoutGil();

}  // namespace sluice::py
