// Copies of a program as the ranks of one job on this machine (sluice launch
// --ranks).
#pragma once

#include <string>
#include <vector>

namespace sluice::app {

// Runs `words` as ranks 0 to ranks - 1 and waits for all. When one fails the
// others have a moment to end by themselves, then they are told to. Returns the
// exit code of the first that failed.
//
// Up to `restarts` times all are started again, when one was killed by a signal
// or ended with 75: it is for the program to go on from what it saved. An error
// of the program would come again, so there is no restart after another code of
// one of them, whatever the others say then; nor when this program itself was
// told to end.
int RunRanks(int ranks, int restarts, const std::vector<std::string>& words);

}  // namespace sluice::app
