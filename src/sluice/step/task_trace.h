// TaskTrace: what one task did in one step, by itself: nothing of its plan is
// needed any more, so that it can be shown beside those of other tasks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sluice/step/step_stats.h"

namespace sluice {

struct TaskTrace {
  std::string task;  // "/job:worker/task:1"; empty: the only one
  std::string host;  // the device that issues work for others
  // When its part of the step began, on the clock of whoever shows it.
  double began_ns = 0;
  std::vector<StepStats::Row> rows;       // from there
  std::vector<TimelineItem> device_work;  // on the devices' own clocks
};

TaskTrace TraceOf(const StepStats& stats, const Plan& plan);

// One step as a trace for chrome://tracing and Perfetto: a process for each
// device of each task.
std::string ChromeTrace(std::span<const TaskTrace> tasks);

// All rows on the clock of whoever shows them, by start; devices by their full
// names.
std::vector<StepStats::Row> RowsOf(std::span<const TaskTrace> tasks);

}  // namespace sluice
