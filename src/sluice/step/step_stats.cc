#include "sluice/step/step_stats.h"

#include <algorithm>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/plan/plan.h"

namespace sluice {

std::vector<StepStats::Row> StepStats::Rows(const Plan& plan) const {
  std::vector<Row> rows;
  double scale = NanosPerCycle();
  for (const FiringRecord& f : firings) {
    const PlanNodeInfo& info = plan.info(f.node);
    Row row;
    if (plan.nodes()[f.node].kind == NodeKind::kIsland) {
      row.name = StrCat("island ", f.node);
      row.op = "Island";
    } else {
      row.name = info.node->name();
      row.op = info.node->op().name;
      row.line = info.node->line().ToString();
    }
    row.worker = f.worker;
    row.start_ns = static_cast<double>(f.start - start) * scale;
    row.duration_ns = static_cast<double>(f.end - f.start) * scale;
    row.bytes = f.bytes;
    row.device = plan.devices()[plan.nodes()[f.node].device]->name_text();
    row.iteration = f.iteration;
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.start_ns < b.start_ns; });
  return rows;
}

}  // namespace sluice
