// The options of one run, and the information a run returns. Plain values,
// owned by the caller.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/cancellation.h"
#include "sluice/graph/value.h"
#include "sluice/op/loop_use.h"
#include "sluice/plan/executor_choice.h"
#include "sluice/session/random_state.h"
#include "sluice/step/step_stats.h"
#include "sluice/tensor/array.h"

namespace sluice {

using FeedList = std::vector<std::pair<Value, Array>>;

struct RunOptions {
  // 0: no limit. After the timeout the step is cancelled: DeadlineExceeded.
  int64_t timeout_ms = 0;
  // Fills RunMetadata::stats; costs some 20 ns per node.
  bool trace = false;
  ExecutorChoice executor = ExecutorChoice::kAuto;
  // Stops at the first op with a NaN or an infinite result; the error names it,
  // its line and its inputs. Costs a pass over every result.
  bool nan_trap = false;
  // Fills RunMetadata::loops; costs some 100 ns per iteration.
  bool loops = false;
  // Cancelling this stops the run; any thread may do so.
  std::shared_ptr<Cancellation> cancellation{};
  // Random ops draw from this position instead of the session's.
  std::optional<RandomState> random{};
  // The caller knows that the run is short and does not wait: Close() and
  // Ctrl-C let it finish.
  bool brief = false;
};

struct RunMetadata {
  StepStats stats;
  std::vector<StepStats::Row> rows;  // stats by node, ordered by time
  std::string chrome_trace;
  std::vector<LoopUse> loops;  // use ToString to print them
};

}  // namespace sluice
