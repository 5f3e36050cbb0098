// RunWorkers: code for each worker in a thread of its own, and for who leads
// them in the caller's. Returns when all have ended. The first error of any
// stops the others, by the cancellation their runs are given, and is thrown
// with the worker's number.
#pragma once

#include <functional>

#include "sluice/base/cancellation.h"

namespace sluice::distributed {

// `lead` may be empty.
void RunWorkers(int workers, Cancellation& cancellation,
                const std::function<void(int)>& worker,
                const std::function<void()>& lead = nullptr);

}  // namespace sluice::distributed
