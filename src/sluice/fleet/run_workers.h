// RunWorkers: runs code for each worker on its own thread, and for the leader
// on the caller's. Returns when all have ended. The first error of any cancels
// the others and is thrown with the worker's number.
#pragma once

#include <functional>

#include "sluice/base/cancellation.h"

namespace sluice::distributed {

// `lead` may be empty.
void RunWorkers(int workers, Cancellation& cancellation,
                const std::function<void(int)>& worker,
                const std::function<void()>& lead = nullptr);

}  // namespace sluice::distributed
