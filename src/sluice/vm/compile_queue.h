// A background thread that runs compile jobs one after another. It exists while
// there are jobs.
//
// Thread safe. A forked child inherits no jobs. At the end of the process the
// current job is awaited and the others are dropped.
#pragma once

#include <functional>

namespace sluice {

// Returns false and drops the job if no thread can be created or the process is
// ending.
bool CompileLater(std::function<void()> job);
// Waits until all jobs queued so far are done. For tests and benchmarks.
void WaitForCompiled();

}  // namespace sluice
