#include "sluice/plan/loop_gain.h"

#include <algorithm>
#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"
#include "sluice/launch/op_cost.h"

namespace sluice {

namespace {

// For shorter iterations a piece without tokens is as fast.
constexpr double kLeastIteration = 50'000;
// A kernel of this duration splits itself over the threads.
constexpr double kSplitNanos = 400'000;
// The minimum fraction of an iteration that must be worth sharing, and the
// maximum fraction that may wait for the previous iteration.
constexpr double kShared = 0.8, kWaits = 0.5;
// The assumed number of iterations of a nested loop, as in placement.
constexpr double kInnerTrips = 16;
constexpr int kMaxCarried = 64;

class Estimate {
 public:
  Estimate(const Node& loop, const std::function<double(const Node&)>& measured)
      : loop_(loop), measured_(measured) {}

  LoopTimes Run() {
    const Region& cond = *loop_.regions()[0];
    const Region& body = *loop_.regions()[1];
    LoopTimes times;
    for (const Region* region : {&cond, &body}) {
      for (const Node* node : region->nodes()) {
        double nanos = NanosOf(*node);
        times.iteration_ns += nanos;
        if (nanos >= kHeavyNanos && nanos < kSplitNanos &&
            node->regions().empty()) {
          times.shared_ns += nanos;
        }
      }
    }
    times.wait_ns = Recurrence(cond, body);
    return times;
  }

 private:
  double NanosOf(const Node& node) const {
    if (!node.regions().empty()) {
      double sum = 0, most = 0;
      for (const auto& region : node.regions()) {
        double inside = 0;
        for (const Node* inner : region->nodes()) inside += NanosOf(*inner);
        sum += inside;
        most = std::max(most, inside);
      }
      return node.op().flow == Flow::kLoop ? sum * kInnerTrips : most;
    }
    if (node.op().flow != Flow::kNone || node.op().structural) return 0;
    double measured = measured_ ? measured_(node) : -1;
    return measured >= 0 ? measured : NodeCostNanos(node);
  }

  // The time from argument `from` to each result; negative: does not depend on
  // it.
  std::vector<double> After(const Region& region, int from) const {
    std::unordered_map<const Node*, double> at;
    auto time = [&](const Value& v) {
      if (v.node == region.args_node()) return v.index == from ? 0.0 : -1.0;
      auto it = at.find(v.node);
      return it == at.end() ? -1.0 : it->second;
    };
    for (const Node* node : region.nodes()) {
      double start = -1;
      for (const Value& v : InputsWithCaptures(*node)) {
        start = std::max(start, time(v));
      }
      if (start >= 0) at[node] = start + NanosOf(*node);
    }
    std::vector<double> results;
    for (const Value& v : region.results()) results.push_back(time(v));
    return results;
  }

  // The maximum mean cycle time over all paths from carried values to carried
  // values. The body waits for the predicate.
  double Recurrence(const Region& cond, const Region& body) const {
    int n = body.num_args();
    std::vector<std::vector<double>> way(static_cast<size_t>(n));
    std::vector<double> from_any(static_cast<size_t>(n), 0);
    for (int i = 0; i < n; ++i) {
      auto& row = way[static_cast<size_t>(i)] = After(body, i);
      for (size_t j = 0; j < row.size(); ++j) {
        from_any[j] = std::max(from_any[j], row[j]);
      }
    }
    for (int i = 0; i < n; ++i) {
      double decided = After(cond, i)[0];
      if (decided < 0) continue;
      auto& row = way[static_cast<size_t>(i)];
      for (size_t j = 0; j < row.size(); ++j) {
        row[j] = std::max(row[j], decided + from_any[j]);
      }
    }
    std::vector<double> when(static_cast<size_t>(n), 0), before;
    for (int round = 0; round < 2 * n; ++round) {
      if (round == n) before = when;
      std::vector<double> next(when.size(), 0);
      for (size_t i = 0; i < when.size(); ++i) {
        for (size_t j = 0; j < when.size(); ++j) {
          if (way[i][j] >= 0) next[j] = std::max(next[j], when[i] + way[i][j]);
        }
      }
      when = std::move(next);
    }
    double longest = 0;
    for (size_t j = 0; j < when.size(); ++j) {
      longest = std::max(longest, (when[j] - before[j]) / n);
    }
    return longest;
  }

  const Node& loop_;
  const std::function<double(const Node&)>& measured_;
};

}  // namespace

LoopTimes TimesOf(const Node& loop,
                  const std::function<double(const Node&)>& measured) {
  return Estimate(loop, measured).Run();
}

namespace {

// Changes of state are serialized, and values read before a change are copied
// while an iteration still holds them.
bool TouchesState(const Node& loop) {
  for (const auto& region : loop.regions()) {
    for (const Node* node : region->nodes()) {
      if (node->op().effect != Effect::kNone || TouchesState(*node)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string WhyInParallel(const Node& loop, const PlanOptions& options) {
  if (options.threads < 2 || loop.op().flow != Flow::kLoop ||
      loop.regions().size() != 2 || loop.num_inputs() > kMaxCarried ||
      loop.num_inputs() == 0 || loop.attrs().get<int64_t>("parallel") < 2 ||
      TouchesState(loop)) {
    return "";
  }
  LoopTimes times = TimesOf(loop, options.measured_nanos);
  if (times.iteration_ns < kLeastIteration ||
      times.wait_ns > kWaits * times.iteration_ns ||
      times.shared_ns < kShared * times.iteration_ns) {
    return "";
  }
  return StrCat("iterations run in parallel: of ",
                static_cast<int64_t>(times.iteration_ns), " ns each waits ",
                static_cast<int64_t>(times.wait_ns), " ns for the one before");
}

}  // namespace sluice
