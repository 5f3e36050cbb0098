// A thread that compiles: jobs one after the other, behind whatever runs. It is
// there while there are jobs.
//
// Thread safe. A forked child has none of its parent's jobs; at the end of the
// process the job at hand is waited for, and the others are dropped.
#pragma once

#include <functional>

namespace sluice {

// False, and the job is gone, when there can be no thread for it, or the
// process ends.
bool CompileLater(std::function<void()> job);
// Until all jobs that were given by now are done. For tests and benchmarks.
void WaitForCompiled();

}  // namespace sluice
