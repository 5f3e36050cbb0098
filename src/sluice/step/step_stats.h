// Per-step statistics: one 32-byte record per firing, collected per thread
// while the step runs and merged when it ends. Nothing is recorded, and nothing
// is paid, when a step does not ask for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

class Plan;

struct FiringRecord {
  uint32_t node;        // of the plan
  uint32_t worker;      // 0: the thread that called run
  uint64_t start, end;  // CycleCount()
  int64_t bytes;        // of the outputs
};

struct StepStats {
  std::vector<FiringRecord> firings;
  uint64_t start = 0, end = 0;

  // Names, times in nanoseconds from the step's start, sorted by start.
  struct Row {
    std::string name, op;
    std::string line;
    uint32_t worker;
    double start_ns, duration_ns;
    int64_t bytes;
  };
  std::vector<Row> Rows(const Plan& plan) const;
  // The same as a Chrome trace (chrome://tracing, Perfetto).
  std::string ChromeTrace(const Plan& plan) const;
};

}  // namespace sluice
