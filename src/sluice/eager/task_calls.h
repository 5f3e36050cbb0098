// Imperative calls in the scope of a task of a cluster: each is computed there,
// as a step of one node. Its operands are sent with it and its results come
// back, so that tensors stay in this process, whichever task computed them, and
// a task that is lost has lost nothing.
//
// The steps are led by the server this process is connected to
// (session/connected_cluster.h). Any thread.
#pragma once

#include <atomic>
#include <span>
#include <string>

#include "sluice/op/record.h"
#include "sluice/session/random_state.h"

namespace sluice {

// The scopes of tasks that this thread is in, by the device's name: calls are
// for the innermost one. One that is "" is of this process again.
class TaskScopes {
 public:
  static void Enter(std::string device);
  // The one that was entered last.
  static void Leave();
  // Null: calls are for this process.
  static const std::string* Current() {
    // Most programs never enter one, and calls are short.
    if (open_.load(std::memory_order_relaxed) == 0) [[likely]] {
      return nullptr;
    }
    return OfThread();
  }

 private:
  static const std::string* OfThread();
  static std::atomic<int> open_;  // of tasks, on all threads
};

// While it lives, calls of this thread are for this process. On the stack.
class InThisProcess {
 public:
  InThisProcess() { TaskScopes::Enter(""); }
  ~InThisProcess() { TaskScopes::Leave(); }
  InThisProcess(const InThisProcess&) = delete;
  InThisProcess& operator=(const InThisProcess&) = delete;
};

// Whether a call is computed where its scope says, and not here all the same:
// views and questions for sizes touch no elements.
bool RunsInTask(const OpRecord& op);

// Runs the call there. `inputs` are given up; `random`: where an op that draws
// numbers does so, null: it draws none. Errors: no cluster is connected, those
// of a step over tasks.
Status CallInTask(const std::string& device, const OpRecord& op,
                  const Attrs& attrs, const RandomState* random,
                  std::span<Array> inputs, std::span<Array> outputs);

}  // namespace sluice
