// What the emulated driver makes is used by numbers that look like pointers,
// and lives as long as the process: kept where checkers of leaks find it.
//
// Thread safe.
#pragma once

#include <vector>

#include "sluice/base/thread_annotations.h"

namespace sluice::emulated {

// Takes it over.
template <class T>
T* Forever(T* object) {
  static auto& mu = *new Mutex;
  static auto& all = *new std::vector<T*>;
  MutexLock lock(mu);
  all.push_back(object);
  return object;
}

}  // namespace sluice::emulated
