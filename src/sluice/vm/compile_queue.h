// A thread that compiles: jobs one after the other, behind whatever runs. It is
// there while there are jobs.
//
// Thread safe. A forked child has none of its parent's jobs.
#pragma once

#include <functional>

namespace sluice {

// False, and the job is gone, when there can be no thread for it.
bool CompileLater(std::function<void()> job);
// Until all jobs that were given by now are done. For tests and benchmarks.
void WaitForCompiled();

}  // namespace sluice
