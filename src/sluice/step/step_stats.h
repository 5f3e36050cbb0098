// Per-step statistics: one record per firing, collected per thread while the
// step runs and merged when it ends, and what devices that run behind the host
// did meanwhile. Nothing is recorded, and nothing is paid, when a step does not
// ask for them.
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
  int64_t iteration;    // of the innermost loop; -1: in none
};

struct StepStats {
  std::vector<FiringRecord> firings;
  uint64_t start = 0, end = 0;
  std::vector<TimelineItem> device_work;  // by start

  // Names, times in nanoseconds from the step's start, sorted by start.
  struct Row {
    std::string name, op;
    std::string line;
    uint32_t worker;
    double start_ns, duration_ns;
    int64_t bytes;
    std::string device;  // what it ran on, or launched work for
    int64_t iteration = -1;
  };
  std::vector<Row> Rows(const Plan& plan) const;
  // Rows and device work as a trace for chrome://tracing and Perfetto: a
  // process per device, a thread per stream, and the host's with a thread per
  // worker (step/chrome_trace.cc).
  std::string ChromeTrace(const Plan& plan) const;
};

}  // namespace sluice
