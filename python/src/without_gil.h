// The number of C++ sections that currently run without the GIL, on any thread
// (ReleaseGil). While there is one, tensors may change owners at any time;
// otherwise the thread with the GIL is alone with the tensors that Python
// objects own.
#pragma once

namespace sluice::py {

// REQUIRES: the GIL. Does not change while it is held.
int StretchesWithoutGil();

}  // namespace sluice::py
