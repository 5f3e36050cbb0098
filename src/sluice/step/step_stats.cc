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
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.start_ns < b.start_ns; });
  return rows;
}

std::string StepStats::ChromeTrace(const Plan& plan) const {
  std::string out = "{\"traceEvents\":[";
  bool first = true;
  for (const Row& row : Rows(plan)) {
    StrAppend(out, first ? "\n" : ",\n",
              "{\"ph\":\"X\",\"pid\":0,\"tid\":", row.worker,
              ",\"name\":", JsonQuote(row.name), ",\"cat\":", JsonQuote(row.op),
              ",\"ts\":", row.start_ns / 1000,
              ",\"dur\":", row.duration_ns / 1000,
              ",\"args\":{\"line\":", JsonQuote(row.line),
              ",\"bytes\":", row.bytes, "}}");
    first = false;
  }
  return out + "\n]}\n";
}

}  // namespace sluice
