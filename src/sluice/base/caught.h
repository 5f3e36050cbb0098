// Exceptions as values: exceptions thrown inside (no memory, no more threads, a
// broken invariant) become errors at the few places that run other people's
// code.
#pragma once

#include "sluice/base/status.h"

namespace sluice {

// The exception being handled: ResourceExhausted for memory and threads, the
// status of a sluice::Error, otherwise Internal. REQUIRES: called inside a
// catch block.
Status CaughtStatus() noexcept;

// ResourceExhausted, created in advance: there may be no memory to create it.
const Status& NoMemory() noexcept;

// Returns f(), a Status or a Result; an exception becomes an error.
template <class F>
auto Guarded(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    return CaughtStatus();
  }
}

}  // namespace sluice
