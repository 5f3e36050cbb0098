// The commands of the program `sluice`, and what they share.
#pragma once

#include "apps/sluice/arguments.h"

namespace sluice::app {

// Exit codes: 0, 1 when the work failed, 2 when the command line was wrong.
inline constexpr int kDone = 0, kFailed = 1, kUsage = 2;

int RunDemo(Arguments arguments);
int RunGraph(Arguments arguments);
int RunInfo(Arguments arguments);
int RunJobSet(Arguments arguments);
int RunLaunch(Arguments arguments);
int RunTop(Arguments arguments);
int RunTrace(Arguments arguments);
int RunTrain(Arguments arguments);

extern const char kDemoUsage[], kGraphUsage[], kInfoUsage[], kJobSetUsage[],
    kLaunchUsage[], kTopUsage[], kTraceUsage[], kTrainUsage[];

struct Command {
  const char* name;
  const char* summary;
  const char* usage;
  int (*run)(Arguments);
};

inline constexpr Command kCommands[] = {
    {"demo", "learn to read handwritten digits, and show how well", kDemoUsage,
     RunDemo},
    {"graph", "check, optimise and print a graph from a file", kGraphUsage,
     RunGraph},
    {"info", "what this build is, and its ops", kInfoUsage, RunInfo},
    {"jobset", "a manifest that runs a program on Kubernetes", kJobSetUsage,
     RunJobSet},
    {"launch", "run a program with servers on this machine", kLaunchUsage,
     RunLaunch},
    {"top", "what the tasks of a cluster do", kTopUsage, RunTop},
    {"trace", "run a graph from a file and write a timeline", kTraceUsage,
     RunTrace},
    {"train", "train a model of examples/models", kTrainUsage, RunTrain},
};

}  // namespace sluice::app
