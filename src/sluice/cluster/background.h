// Background: work that waits for other processes, each item on its own thread.
// Used rarely: to prepare a graph, to attach a task.
//
// Thread safe.
#pragma once

#include <functional>

namespace sluice::cluster {

struct Background {
  // If no thread can be started, the work runs on the calling thread.
  static void Start(std::function<void()> work);
  // Waits until all started work is done.
  static void WaitForAll();
};

}  // namespace sluice::cluster
