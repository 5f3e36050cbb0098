// Block: runs the threads of one block of a kernel on the emulated GPU, one
// after another, on the calling thread. A thread that waits for others is
// suspended on its own fiber; a thread that never waits costs a call.
//
// Barriers and warp exchanges check their participants exactly. If a thread
// waits for threads that have ended or wait elsewhere, that is an error, where
// a real GPU may hang or continue with garbage.
//
// Used by one thread at a time. Only one block runs at a time in a process; the
// caller ensures that.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/device/cuda/emulated/fiber.h"
#include "sluice/device/cuda/emulated/kernel_side.h"

namespace sluice::emulated {

using KernelFn = void (*)(const void* args);

class Block {
 public:
  // The host interface for modules, about the block that runs now.
  static Host& TheHost();

  // Runs all threads to their end. Error: a deadlock, or a failure reported by
  // the kernel. TheHost has the index and the sizes of the block.
  Status Run(KernelFn kernel, const void* args);

 private:
  enum class State { kUnstarted, kReady, kWaiting, kDone };
  struct Worker {
    Worker(Block& b) : block(b), fiber(&Block::WorkOn, this) {}
    Block& block;
    Fiber fiber;
  };
  struct Thread {
    Dim3 index{};
    State state = State::kUnstarted;
    Meeting kind{};
    unsigned mask = 0, source = 0;
    unsigned long long value = 0, result = 0;
    Worker* worker = nullptr;
  };

  static void WorkOn(void* worker);
  static unsigned long long Meet(Meeting kind, unsigned mask,
                                 unsigned long long value, unsigned source);
  static void Pause();
  static void Fail(const char* what);

  void Prepare(const Dim3& size);
  // Runs until all have ended or one has failed.
  void RunThreads();
  void Enter(Worker& worker);
  void Start(Thread& thread, Worker& worker);
  void Ended(Thread& thread);
  void Release(Thread& thread, unsigned long long result);
  // Suspends the running thread until it is released.
  void Wait(Thread& thread);
  bool BlockMeets();
  // Releases the lanes that meet with this one if all have arrived.
  bool WarpMeets(const Thread& with);
  // The index of the first lane of a thread's warp.
  size_t WarpBegin(const Thread& thread) const;
  std::string Stuck() const;

  KernelFn kernel_ = nullptr;
  const void* args_ = nullptr;
  std::vector<Thread> threads_;
  Dim3 prepared_{};  // the size for which threads_ are numbered
  size_t next_ = 0;  // the first that has not started
  size_t done_ = 0;
  size_t at_barrier_ = 0;
  size_t pauses_ = 0;
  Thread* running_ = nullptr;
  std::deque<Thread*> ready_, paused_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_;
  std::string failure_;
};

}  // namespace sluice::emulated
