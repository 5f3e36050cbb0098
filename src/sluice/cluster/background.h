// Background: work that waits for other processes, each piece on a thread of
// its own. Seldom: when a graph is prepared, when a task is attached.
//
// Thread safe.
#pragma once

#include <functional>

namespace sluice::cluster {

struct Background {
  // Where there is no thread, it is done here.
  static void Start(std::function<void()> work);
  // Returns when all that was started is done.
  static void WaitForAll();
};

}  // namespace sluice::cluster
