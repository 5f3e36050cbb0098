// Ranks for tests: as threads of this process, and as separate processes.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sluice/collective/process_group.h"

namespace sluice::collective {

// Whether processes of OnProcesses share memory.
inline bool ranks_share_memory = true;

// Runs `rank` for every rank, each with its group on its own thread.
void OnThreads(int size, const std::function<void(ProcessGroup&)>& rank,
               GroupOptions options = {});

// The same in processes that are forked here and connected by TCP. Returns the
// exit of each: what `rank` returned (0 for success), or 128 and the signal.
// `began` is called with the processes once all are connected.
// REQUIRES: no other thread in this process.
std::vector<int> OnProcesses(
    int size, const std::function<int(ProcessGroup&)>& rank,
    GroupOptions options = {},
    const std::function<void(const std::vector<int>&)>& began = {});

}  // namespace sluice::collective
