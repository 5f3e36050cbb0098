// Fiber: runs a function on a separate stack. It can be left and resumed at any
// call depth. A switch costs as much as a call and needs no system call.
//
// Destroying a fiber whose function has not returned abandons the objects on
// its stack: none of them may need its destructor. Used by one thread.
#pragma once

#include <cstddef>

namespace sluice::emulated {

// Sanitizers ignore functions that run on fibers, because they assume one stack
// per thread.
#if defined(__clang__)
#define SL_ON_FIBER __attribute__((no_sanitize("address", "thread"), noinline))
#else
#define SL_ON_FIBER \
  __attribute__((no_sanitize_address, no_sanitize_thread, noinline))
#endif

class Fiber {
 public:
  // `run` never returns: it leaves by Leave, the last time for good.
  using Function = void (*)(void* context);
  Fiber(Function run, void* context);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Resumes it until it leaves again. Called from outside.
  void Enter();
  // Switches back to the caller of Enter. Called on the fiber itself.
  void Leave();

 private:
  static void Begin(Fiber* self);

  const Function run_;
  void* const context_;
  void* memory_ = nullptr;
  void* inside_ = nullptr;   // its stack pointer while suspended
  void* outside_ = nullptr;  // the stack pointer of the caller while it runs
};

}  // namespace sluice::emulated
