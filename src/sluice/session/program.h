// A Program is what one choice of feeds, fetches and targets makes of the
// user's graph: the pruned graph and the plans built from it. A plan is made
// for the shapes that are really fed, so that everything downstream is known;
// a few such plans are kept, and a shape seen for the first time after that
// runs on a plan that knows no more than the graph says.
//
// Thread safe. Lives in the session's cache; runs in flight keep their plan.
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
  // Plans for at most this many different feed shapes are kept.
  static constexpr size_t kMaxPlans = 8;

  // `pruned`: root arguments are the feeds, results the fetches.
  Program(std::unique_ptr<Graph> pruned, PlanOptions options,
          LocalPlacement placement = {})
      : graph_(std::move(pruned)),
        options_(options),
        placement_(std::move(placement)),
        placed_(ConcernsDevices(*graph_, placement_)) {}

  // Errors: a feed of the wrong dtype or shape.
  Status CheckFeed(int i, const Array& value) const;
  // The plan to run for feeds of these shapes. Feeds have been checked. Built
  // by the first who asks, with no lock held; others who want the same one wait
  // for it, and may be interrupted.
  Result<std::shared_ptr<const Plan>> PlanFor(std::span<const Array> feeds);
  // The plan for feeds of any shape the graph allows.
  Result<std::shared_ptr<const Plan>> GenericPlan();

  // What the passes did to the graph for such feeds, a line each.
  Result<std::string> PassNotes(std::span<const Array> feeds) const;

  // What a run with such feeds has live at most.
  Result<MemoryForecast> PlanMemory(std::span<const Array> feeds) const;

  // The same with loops that report what they do to a LoopLog, which is fed
  // last.
  Result<std::shared_ptr<Program>> Reporting();

  const Graph& graph() const { return *graph_; }
  int num_feeds() const { return graph_->root().num_args(); }

 private:
  struct Entry {
    std::vector<Shape> shapes;
    std::vector<Memory*> memories;     // where the feeds lie
    std::shared_ptr<const Plan> plan;  // null: seen once, not planned
    int64_t last_used = 0;
    bool building = false;  // by some thread, now
  };
  enum class Found { kReady, kBuild, kWait };
  // What is to be done for these feeds: the plan is there, or the caller is to
  // build it, for them or (`generic`) for any.
  Found Look(std::span<const Array> feeds, bool* generic,
             std::shared_ptr<const Plan>* plan) SL_REQUIRES(mu_);
  Entry* EntryFor(std::span<const Array> feeds) SL_REQUIRES(mu_);
  Result<std::shared_ptr<const Plan>> FindOrBuild(std::span<const Array> feeds,
                                                  bool generic);
  Result<std::shared_ptr<const Plan>> Build(std::span<const Array> feeds);
  Result<std::unique_ptr<Graph>> Optimized(std::span<const Array> feeds,
                                           std::string* notes) const;
  // A device for every node, where it concerns more than the host; tells which.
  Result<std::string> Placed(Graph& graph, std::span<const Array> feeds) const;
  void DropStale() SL_REQUIRES(mu_);

  const std::unique_ptr<Graph> graph_;
  const PlanOptions options_;
  const LocalPlacement placement_;
  const bool placed_;  // on more than the host
  Mutex mu_;
  std::vector<Entry> entries_ SL_GUARDED_BY(mu_);
  std::shared_ptr<const Plan> generic_ SL_GUARDED_BY(mu_);
  bool building_generic_ SL_GUARDED_BY(mu_) = false;
  std::condition_variable built_;  // or given up
  int64_t generation_ SL_GUARDED_BY(mu_) = 0;
  int64_t times_ SL_GUARDED_BY(mu_) = 0;  // version of what was measured
  int64_t clock_ SL_GUARDED_BY(mu_) = 0;
  std::shared_ptr<Program> reporting_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
