// Gradients of leaves that threads share: whoever adds to one, reads it or sets
// it does so under this lock. Held for one sum of gradients at most, and never
// while code of the user's runs.
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
