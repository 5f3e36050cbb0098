// Sets how many threads WorkerPool::Default() has while a program runs. Any
// thread may call; existing sessions keep the pool they started with.
#pragma once

namespace sluice {

// From now on the default pool has this many threads, the caller's included. It
// is another pool, kept in case the same number is asked for again; users of
// the previous one keep that, with its threads parked.
// REQUIRES: 1 <= threads <= 1024.
void SetDefaultThreads(int threads);

}  // namespace sluice
