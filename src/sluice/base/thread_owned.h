// ThreadOwned<T>: one T per thread, created on the thread's first request and
// destroyed when the thread ends.
//
// Used like a thread_local T, whose access is slow in a library that is loaded
// while the program runs, as by Python: its thread-local variables take a few
// instructions only while all of them together are small (with glibc on ARM:
// 512 bytes), otherwise a search each. Therefore anything larger than a word is
// stored behind a pointer. python/tests/test_thread_locals.py counts them.
//
// T must have internal linkage; otherwise there is one for the whole program.
#pragma once

#include <cstdint>
#include <new>

namespace sluice {

// Calls f when this thread ends, in reverse order of these calls. False if the
// thread is past that point or memory has run out.
bool AtThreadEnd(void (*f)()) noexcept;

template <class T>
class ThreadOwned {
 public:
  // Null once the thread is ending and its object is destroyed, and if memory
  // has run out.
  static T* Find() noexcept {
    uintptr_t own = own_;
    if (own > kGone) [[likely]] {
      return reinterpret_cast<T*>(own);
    }
    return own == kGone ? nullptr : Make();
  }
  // The same for callers that need an object: one requested after the thread's
  // end is never freed.
  static T& Get() {
    if (T* own = Find()) [[likely]] {
      return *own;
    }
    T* own = new T();
    own_ = reinterpret_cast<uintptr_t>(own);
    return *own;
  }

 private:
  static constexpr uintptr_t kNone = 0, kGone = 1;

  static void End() {
    auto* own = reinterpret_cast<T*>(own_);
    own_ = kGone;  // first: destructors may call Find
    delete own;
  }
  [[gnu::noinline]] static T* Make() noexcept {
    T* own = new (std::nothrow) T();
    if (own && AtThreadEnd(&End)) {
      own_ = reinterpret_cast<uintptr_t>(own);
      return own;
    }
    delete own;
    return nullptr;
  }

  static inline constinit thread_local uintptr_t own_ = kNone;
};

}  // namespace sluice
