// Gradients of leaves that threads share: a thread holds this lock while it
// adds to one, reads it or sets it. Held for one sum of gradients at most, and
// never while user code runs. The gradient carries no annotation: one lock
// serves many values.
#pragma once

#include "sluice/base/thread_annotations.h"
#include "sluice/eager/eager_value.h"

namespace sluice::front_internal {

// One of a few for all values, by address.
inline Mutex& GradMutex(const EagerValue& leaf) {
  constexpr size_t kLocks = 64;
  static auto* locks = new Mutex[kLocks];
  return locks[reinterpret_cast<size_t>(&leaf) / sizeof(EagerValue) % kLocks];
}

}  // namespace sluice::front_internal
