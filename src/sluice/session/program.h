// A Program is the compiled form of a user's graph for one choice of feeds,
// fetches and targets: the pruned graph and the plans built from it. A plan is
// built for the actual feed shapes, so that all shapes downstream are known. A
// few such plans are kept; any further shape runs on a generic plan that uses
// only the shapes in the graph.
//
// Thread safe. Lives in the cache of the session; a run in flight keeps its
// plan alive.
#pragma once

#include <condition_variable>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/op/resource.h"
#include "sluice/plan/memory_forecast.h"
#include "sluice/plan/plan.h"
#include "sluice/session/place_locally.h"

namespace sluice {

class Program {
 public:
  // Keeps plans for at most this many different feed shapes.
  static constexpr size_t kMaxPlans = 8;

  // `pruned`: its root arguments are the feeds, its results the fetches.
  Program(std::unique_ptr<Graph> pruned, PlanOptions options,
          LocalPlacement placement = {})
      : graph_(std::move(pruned)),
        options_(options),
        placement_(std::move(placement)),
        placed_(ConcernsDevices(*graph_, placement_)) {}

  // Errors: a feed of the wrong dtype or shape.
  Status CheckFeed(int i, const Array& value) const;
  // The plan for feeds of these shapes, which have been checked. The first
  // caller builds it, without holding a lock. Other callers that need the same
  // plan wait for it, and may be interrupted.
  Result<std::shared_ptr<const Plan>> PlanFor(std::span<const Array> feeds);
  // The plan for feeds of any shape the graph allows.
  Result<std::shared_ptr<const Plan>> GenericPlan();

  // What the passes did to the graph for such feeds, one line each.
  Result<std::string> PassNotes(std::span<const Array> feeds) const;

  // Where its nodes go for such feeds. Empty: all of it is the host's.
  Result<PlacementReport> Places(std::span<const Array> feeds) const;
  // Forecasts the peak memory of a run with such feeds.
  Result<MemoryForecast> PlanMemory(std::span<const Array> feeds) const;

  // The same program, with loops that report to a LoopLog, which is the last
  // feed.
  Result<std::shared_ptr<Program>> Reporting();

  const Graph& graph() const { return *graph_; }
  int num_feeds() const { return graph_->root().num_args(); }

 private:
  struct Entry {
    std::vector<Shape> shapes;
    std::vector<Memory*> memories;     // where the feeds are
    std::shared_ptr<const Plan> plan;  // null: seen once, not planned
    int64_t last_used = 0;
    bool building = false;  // some thread is building it now
  };
  enum class Found { kReady, kBuild, kWait };
  // Decides what to do for these feeds: the plan exists, or the caller builds
  // it, for these shapes or (`generic`) for any.
  Found Look(std::span<const Array> feeds, bool* generic,
             std::shared_ptr<const Plan>* plan) SL_REQUIRES(mu_);
  Entry* EntryFor(std::span<const Array> feeds) SL_REQUIRES(mu_);
  Result<std::shared_ptr<const Plan>> FindOrBuild(std::span<const Array> feeds,
                                                  bool generic);
  Result<std::shared_ptr<const Plan>> Build(std::span<const Array> feeds);
  Result<std::unique_ptr<Graph>> Optimized(std::span<const Array> feeds,
                                           std::string* notes) const;
  // Places every node if more than the host is involved; else the report is
  // empty.
  Result<PlacementReport> Placed(Graph& graph,
                                 std::span<const Array> feeds) const;
  void DropStale() SL_REQUIRES(mu_);

  const std::unique_ptr<Graph> graph_;
  const PlanOptions options_;
  const LocalPlacement placement_;
  const bool placed_;  // involves more than the host
  Mutex mu_;
  std::vector<Entry> entries_ SL_GUARDED_BY(mu_);
  std::shared_ptr<const Plan> generic_ SL_GUARDED_BY(mu_);
  bool building_generic_ SL_GUARDED_BY(mu_) = false;
  std::condition_variable built_;  // or the build failed
  int64_t generation_ SL_GUARDED_BY(mu_) = 0;
  int64_t times_ SL_GUARDED_BY(mu_) = 0;  // version of the measured times
  int64_t clock_ SL_GUARDED_BY(mu_) = 0;
  std::shared_ptr<Program> reporting_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
