// How many threads WorkerPool::Default() has, set while a program runs. Any
// thread may call; sessions that are there keep the pool they began with.
#pragma once

namespace sluice {

// From now on the default pool has so many threads, the caller's included:
// another pool, kept for when the same number is asked for again. The one
// before is left to those who use it, with its threads parked.
// REQUIRES: 1 <= threads <= 1024.
void SetDefaultThreads(int threads);

}  // namespace sluice
