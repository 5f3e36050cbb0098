// TaskTrace: the work of one task in one step. It is self-contained: it does
// not need the plan, and can be shown next to traces of other tasks. A plain
// value.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sluice/step/step_stats.h"

namespace sluice {

struct TaskTrace {
  std::string task;  // "/job:worker/task:1"; empty: the only one
  std::string host;  // the device that launches work for others
  // The start of its part of the step, on the clock of the viewer.
  double began_ns = 0;
  std::vector<StepStats::Row> rows;       // times are relative to began_ns
  std::vector<TimelineItem> device_work;  // on the clocks of the devices
};

TaskTrace TraceOf(const StepStats& stats, const Plan& plan);

// One step as a trace for chrome://tracing and Perfetto: one process for each
// device of each task.
std::string ChromeTrace(std::span<const TaskTrace> tasks);

// All rows on the clock of the viewer, sorted by start; devices by their full
// names.
std::vector<StepStats::Row> RowsOf(std::span<const TaskTrace> tasks);

}  // namespace sluice
