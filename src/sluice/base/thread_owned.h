// ThreadOwned<T>: one T for each thread, made when the thread first asks for it
// and destroyed when the thread ends.
//
// Used like a thread_local T, which is slow to reach in a library that is
// loaded while the program runs, as by Python: its thread-local variables take
// a few instructions only while all of them together are small (with glibc on
// ARM: 512 bytes), otherwise a search each. So anything larger than a word is a
// pointer there. python/tests/test_thread_locals.py counts them.
//
// T has no name outside of its file, or there is one for the whole program.
#pragma once

#include <cstdint>
#include <new>

namespace sluice {

// Calls f when this thread ends, in reverse order of these calls. False when
// the thread is past that point or there is no memory.
bool AtThreadEnd(void (*f)()) noexcept;

template <class T>
class ThreadOwned {
 public:
  // Null once the thread is ending and its own is gone, and when there is no
  // memory for it.
  static T* Find() noexcept {
    uintptr_t own = own_;
    if (own > kGone) [[likely]] {
      return reinterpret_cast<T*>(own);
    }
    return own == kGone ? nullptr : Make();
  }
  // The same where there must be one: an object asked for after the thread's
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
    own_ = kGone;  // first: what it holds may ask as it goes
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
