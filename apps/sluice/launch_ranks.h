// Copies of a program as the ranks of one job on this machine (sluice launch
// --ranks).
#pragma once

#include <string>
#include <vector>

namespace sluice::app {

// Runs `words` as ranks 0 to ranks - 1 and waits for all. When one fails the
// others have a moment to end by themselves, then they are told to. Returns the
// exit code of the first that failed.
int RunRanks(int ranks, std::vector<std::string> words);

}  // namespace sluice::app
