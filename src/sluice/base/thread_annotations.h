// Clang thread-safety annotations and a Mutex that carries them. For other
// compilers the macros are empty; Mutex is a plain std::mutex.
#pragma once

#include <mutex>

#if defined(__clang__)
#define SL_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define SL_THREAD_ATTRIBUTE(x)
#endif

#define SL_CAPABILITY(x) SL_THREAD_ATTRIBUTE(capability(x))
#define SL_SCOPED_CAPABILITY SL_THREAD_ATTRIBUTE(scoped_lockable)
#define SL_GUARDED_BY(x) SL_THREAD_ATTRIBUTE(guarded_by(x))
#define SL_REQUIRES(...) SL_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define SL_EXCLUDES(...) SL_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define SL_ACQUIRE(...) SL_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define SL_RELEASE(...) SL_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define SL_TRY_ACQUIRE(...) \
  SL_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define SL_NO_THREAD_SAFETY_ANALYSIS \
  SL_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace sluice {

class SL_CAPABILITY("mutex") Mutex {
 public:
  void lock() SL_ACQUIRE() { mu_.lock(); }
  void unlock() SL_RELEASE() { mu_.unlock(); }
  bool try_lock() SL_TRY_ACQUIRE(true) { return mu_.try_lock(); }
  std::mutex& native() { return mu_; }

 private:
  std::mutex mu_;
};

class SL_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mu) SL_ACQUIRE(mu) : mu_(mu) { mu_.lock(); }
  ~MutexLock() SL_RELEASE() { mu_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mu_;
};

}  // namespace sluice
