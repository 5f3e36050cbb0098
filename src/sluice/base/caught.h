// Exceptions as values: what is thrown inside (no memory, no more threads, a
// broken invariant) becomes an error at the few places that run other people's
// code.
#pragma once

#include "sluice/base/status.h"

namespace sluice {

// The exception that is being handled: ResourceExhausted for memory and
// threads, the status of a sluice::Error, else Internal.
// REQUIRES: called inside of catch.
Status CaughtStatus() noexcept;

// ResourceExhausted, made in advance: there may be no memory to make it of.
const Status& NoMemory() noexcept;

// f(), a Status or a Result, or what it throws as an error.
template <class F>
auto Guarded(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    return CaughtStatus();
  }
}

}  // namespace sluice
