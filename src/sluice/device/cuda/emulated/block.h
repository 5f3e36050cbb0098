// Block: the threads of one block of a kernel on the emulated GPU, run one
// after the other by the calling thread. A thread that waits for others is left
// where it is, on a fiber of its own; one that never waits costs a call.
//
// Barriers and the exchanges of warps are exact about who must come: threads
// that wait for some that have ended or wait elsewhere are an error, where a
// GPU may hang or go on with garbage.
//
// Used by one thread at a time; in a process only one block runs at a time,
// which whoever runs them sees to.
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
  // What modules are given: about the block that runs now.
  static Host& TheHost();

  // Runs all threads to their end. Error: they wait for each other in vain, or
  // the kernel gives up; what was found. The block's index and the sizes are
  // those in TheHost.
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
  // Until all have ended, or one has failed.
  void RunThreads();
  void Enter(Worker& worker);
  void Start(Thread& thread, Worker& worker);
  void Ended(Thread& thread);
  void Release(Thread& thread, unsigned long long result);
  // Leaves the running thread until it is released.
  void Wait(Thread& thread);
  bool BlockMeets();
  // Releases the lanes that meet with this one, if all are there.
  bool WarpMeets(const Thread& with);
  // The lanes of a thread's warp, and the first of them.
  size_t WarpBegin(const Thread& thread) const;
  std::string Stuck() const;

  KernelFn kernel_ = nullptr;
  const void* args_ = nullptr;
  std::vector<Thread> threads_;
  Dim3 prepared_{};  // the size that threads_ are numbered for
  size_t next_ = 0;  // the first that has not been started
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
