// Reports what the steps of a task wait for. Part of TaskWorker.
#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/task_worker_session.h"

namespace sluice::cluster {

std::vector<std::string> TaskWorker::Waits(int64_t still_ms) const {
  std::vector<std::string> lines;
  const int64_t now = NowNanos();
  for (const auto& step : AllSteps()) {
    int64_t still = step->StillSince(now) / 1'000'000;
    if (still < still_ms) continue;
    std::string what =
        StrCat("step ", step->number(), " of session ", step->session(),
               " in task ", options_.task, " has not moved for ", still, " ms");
    std::vector<std::string> waits = step->Waits();
    if (!step->begun()) {
      lines.push_back(StrCat(what, ": its master has not begun it"));
    } else if (waits.empty()) {
      lines.push_back(StrCat(what, ": it computes, or waits for a queue"));
    }
    for (const std::string& wait : waits) {
      lines.push_back(StrCat(what, ": it ", wait));
    }
  }
  return lines;
}

}  // namespace sluice::cluster
