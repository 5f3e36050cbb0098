// Sets the number of threads of WorkerPool::Default() while a program runs. Any
// thread may call; existing sessions keep their pool.
#pragma once

namespace sluice {

// From now on the default pool has this many threads, including the caller's.
// It is a different pool, kept in case the same number is requested again;
// users of the previous one keep that, with its threads parked. REQUIRES: 1 <=
// threads <= 1024.
void SetDefaultThreads(int threads);

}  // namespace sluice
