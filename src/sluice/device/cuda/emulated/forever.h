// Keeps objects of the emulated driver for the life of the process. They are
// used through numbers that look like pointers; this list keeps them reachable
// for leak checkers.
//
// Thread safe.
#pragma once

#include <vector>

#include "sluice/base/thread_annotations.h"

namespace sluice::emulated {

// Takes ownership.
template <class T>
T* Forever(T* object) {
  static auto& mu = *new Mutex;
  static auto& all SL_GUARDED_BY(mu) = *new std::vector<T*>;
  MutexLock lock(mu);
  all.push_back(object);
  return object;
}

}  // namespace sluice::emulated
