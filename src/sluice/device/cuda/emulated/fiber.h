// Fiber: a stack of its own to run a function on, left and entered again at any
// depth of calls. A switch costs as much as a call: no system call.
//
// A fiber that is destroyed while its function has not returned forgets what
// was on its stack: nothing there may need its destructor. Used by one thread.
#pragma once

#include <cstddef>

namespace sluice::emulated {

// Functions that run on fibers are not told to sanitizers, which believe in one
// stack for each thread.
#if defined(__clang__)
#define SL_ON_FIBER __attribute__((no_sanitize("address", "thread"), noinline))
#else
#define SL_ON_FIBER \
  __attribute__((no_sanitize_address, no_sanitize_thread, noinline))
#endif

class Fiber {
 public:
  // `run` never returns: it leaves by Leave, and for good in the end.
  using Function = void (*)(void* context);
  Fiber(Function run, void* context);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs it from where it was left, until it leaves again. Called from outside.
  void Enter();
  // Back to who entered. Called on the fiber itself.
  void Leave();

 private:
  static void Begin(Fiber* self);

  const Function run_;
  void* const context_;
  void* memory_ = nullptr;
  void* inside_ = nullptr;   // the stack's top while it is left
  void* outside_ = nullptr;  // that of who entered, while it runs
};

}  // namespace sluice::emulated
