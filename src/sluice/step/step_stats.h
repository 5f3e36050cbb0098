// Statistics of one step: one record per firing, and the work of devices that
// run behind the host. Each thread collects its own records while the step
// runs; they are merged when it ends. A step that does not ask for statistics
// records nothing and pays nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/device/timeline.h"

namespace sluice {

class Plan;

struct FiringRecord {
  uint32_t node;        // of the plan
  uint32_t worker;      // 0: the thread that called run
  uint64_t start, end;  // CycleCount()
  int64_t bytes;        // of the outputs
  int64_t iteration;    // of the innermost loop; -1: not in a loop
};

struct StepStats {
  std::vector<FiringRecord> firings;
  uint64_t start = 0, end = 0;
  std::vector<TimelineItem> device_work;  // sorted by start

  // A record with names; times in nanoseconds from the start of the step.
  struct Row {
    std::string name, op;
    std::string line;
    uint32_t worker;
    double start_ns, duration_ns;
    int64_t bytes;
    std::string device;  // where it ran, or for which device it launched work
    int64_t iteration = -1;
  };
  std::vector<Row> Rows(const Plan& plan) const;
  // A trace of rows and device work for chrome://tracing and Perfetto: one
  // process per device with a thread per stream, and one for the host with a
  // thread per worker (step/chrome_trace.cc).
  std::string ChromeTrace(const Plan& plan) const;
};

}  // namespace sluice
