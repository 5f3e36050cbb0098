#include "sluice/session/program.h"

#include <algorithm>
#include <chrono>

#include "sluice/base/caught.h"
#include "sluice/base/interruption.h"
#include "sluice/base/strings.h"
#include "sluice/base/wait_on.h"
#include "sluice/passes/pipeline.h"
#include "sluice/passes/report_loops.h"
#include "sluice/session/op_times.h"

namespace sluice {

Status Program::CheckFeed(int i, const Array& value) const {
  const Region& root = graph_->root();
  const ValueType& type = root.arg(i).type();
  if (!value) {
    return InvalidArgument(StrCat("the feed of \"", root.arg_name(i),
                                  "\" is empty; wanted ", type));
  }
  if (value.dtype() == type.dtype && type.shape.Covers(value.shape())) {
    return OkStatus();
  }
  return InvalidArgument(StrCat("the feed of \"", root.arg_name(i), "\" is ",
                                value.TypeText(), "; wanted ", type));
}

Result<std::shared_ptr<Program>> Program::Reporting() {
  MutexLock lock(mu_);
  if (!reporting_) {
    std::unique_ptr<Graph> graph = graph_->Clone();
    SL_RETURN_IF_ERROR(ReportLoops(*graph));
    reporting_ =
        std::make_shared<Program>(std::move(graph), options_, placement_);
  }
  return reporting_;
}

namespace {
bool SameFeeds(const std::vector<Shape>& shapes,
               const std::vector<Memory*>& memories,
               std::span<const Array> feeds) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (!(shapes[i] == feeds[i].shape())) return false;
    if (memories[i] != feeds[i].memory()) return false;
  }
  return true;
}
}  // namespace

namespace {

// So many traced runs are enough to know: a program that traces every run is
// not planned anew each time.
constexpr int64_t kMeasured = 3;

bool HasLoop(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (node->op().flow == Flow::kLoop) return true;
    for (const auto& inner : node->regions()) {
      if (HasLoop(*inner)) return true;
    }
  }
  return false;
}

}  // namespace

void Program::DropStale() {
  // A container was reset: plans hold handles of resources that are gone.
  int64_t now = options_.resources ? options_.resources->generation() : 0;
  // What was measured since may say that other devices are better, or loops in
  // parallel.
  int64_t times =
      placement_.times ? std::min(placement_.times->version(), kMeasured) : 0;
  bool measured = times != times_;
  times_ = times;
  measured = measured && (placement_.search ||
                          (options_.threads > 1 && HasLoop(graph_->root())));
  if (now == generation_ && !measured) return;
  generation_ = now;
  entries_.clear();
  generic_ = nullptr;
}

Program::Entry* Program::EntryFor(std::span<const Array> feeds) {
  for (Entry& e : entries_) {
    if (SameFeeds(e.shapes, e.memories, feeds)) return &e;
  }
  return nullptr;
}

Program::Found Program::Look(std::span<const Array> feeds, bool* generic,
                             std::shared_ptr<const Plan>* plan) {
  DropStale();
  if (!*generic) {
    ++clock_;
    Entry* found = EntryFor(feeds);
    if (!found) {
      Entry entry;
      for (const Array& f : feeds) {
        entry.shapes.push_back(f.shape());
        entry.memories.push_back(f.memory());
      }
      if (entries_.size() < kMaxPlans) {
        entries_.push_back(std::move(entry));
        found = &entries_.back();
      } else {
        // Many different shapes: one that never comes back is not worth a plan.
        // Note it in place of the oldest, and plan it if it does come back.
        entry.last_used = clock_;
        Entry* oldest = nullptr;
        for (Entry& e : entries_) {
          if (e.building) continue;
          if (!oldest || e.last_used < oldest->last_used) oldest = &e;
        }
        if (oldest) *oldest = std::move(entry);
        *generic = true;
      }
    }
    if (!*generic) {
      found->last_used = clock_;
      if (found->building) return Found::kWait;
      *plan = found->plan;
      if (*plan) return Found::kReady;
      found->building = true;
      return Found::kBuild;
    }
  }
  if (building_generic_) return Found::kWait;
  *plan = generic_;
  if (*plan) return Found::kReady;
  building_generic_ = true;
  return Found::kBuild;
}

Result<std::shared_ptr<const Plan>> Program::FindOrBuild(
    std::span<const Array> feeds, bool generic) {
  // A waiting thread checks now and then whether it is to stop.
  constexpr auto kLookUp = std::chrono::milliseconds(20);
  std::shared_ptr<const Plan> plan;
  int64_t generation = 0;
  {
    MutexLock lock(mu_);
    for (;;) {
      Found found = Look(feeds, &generic, &plan);
      if (found == Found::kReady) return plan;
      if (found == Found::kBuild) break;
      WaitOnFor(built_, mu_, kLookUp);
      SL_RETURN_IF_ERROR(Interruption::Check());
    }
    generation = generation_;
  }
  auto made = Guarded(
      [&] { return Build(generic ? std::span<const Array>() : feeds); });
  MutexLock lock(mu_);
  // Plans of a generation that has gone hold handles of what is gone with it:
  // such a one is run this once, as if it had been built a moment earlier.
  bool keep = made.ok() && generation == generation_;
  if (generic) {
    building_generic_ = false;
    if (keep) generic_ = *made;
  } else if (Entry* entry = EntryFor(feeds)) {
    entry->building = false;
    if (keep) {
      entry->plan = *made;
    } else {
      entries_.erase(entries_.begin() + (entry - entries_.data()));
    }
  }
  built_.notify_all();
  return made;
}

Result<std::shared_ptr<const Plan>> Program::PlanFor(
    std::span<const Array> feeds) {
  return FindOrBuild(feeds, false);
}

Result<std::shared_ptr<const Plan>> Program::GenericPlan() {
  return FindOrBuild({}, true);
}

Result<std::unique_ptr<Graph>> Program::Optimized(std::span<const Array> feeds,
                                                  std::string* notes) const {
  std::unique_ptr<Graph> graph = graph_->Clone();
  for (size_t i = 0; i < feeds.size(); ++i) {
    graph->SetArgShape(graph->root(), static_cast<int>(i), feeds[i].shape());
  }
  PipelineOptions options;
  bool in_region = false;
  options.in_region = &in_region;
  // The token executor runs primitives as they are.
  options.raise = options_.executor != ExecutorChoice::kTokens;
  Result<PassReport> report = RunPipeline(*graph, options);
  if (!report.ok() && in_region && !feeds.empty()) {
    // The body of a loop that runs no iteration, or a branch that is not taken,
    // is not asked for its sizes: a plan for any does not.
    Result<std::unique_ptr<Graph>> any = Optimized({}, notes);
    if (any.ok()) return any;
  }
  SL_RETURN_IF_ERROR(report.status());
  for (const PassReport::Entry& entry : report->entries) {
    for (const std::string& note : entry.notes) {
      if (notes) StrAppend(*notes, "  ", entry.pass, ": ", note, "\n");
    }
  }
  return graph;
}

Result<PlacementReport> Program::Placed(Graph& graph,
                                        std::span<const Array> feeds) const {
  bool fed_elsewhere = false;
  for (const Array& feed : feeds) {
    fed_elsewhere = fed_elsewhere || feed.memory() != nullptr;
  }
  if (!placed_ && !fed_elsewhere) return PlacementReport();
  return PlaceLocally(graph, feeds, placement_);
}

Result<std::string> Program::PassNotes(std::span<const Array> feeds) const {
  std::string notes;
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, Optimized(feeds, &notes));
  SL_ASSIGN_OR_RETURN(PlacementReport places, Placed(*graph, feeds));
  return places.devices.empty() ? notes : notes + places.Explain();
}

Result<PlacementReport> Program::Places(std::span<const Array> feeds) const {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, Optimized(feeds, nullptr));
  return Placed(*graph, feeds);
}

Result<MemoryForecast> Program::PlanMemory(std::span<const Array> feeds) const {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, Optimized(feeds, nullptr));
  SL_RETURN_IF_ERROR(Placed(*graph, feeds).status());
  std::vector<std::string> args;
  for (const Array& feed : feeds) args.push_back(DeviceNameOf(feed.memory()));
  return ForecastMemory(*graph, std::move(args));
}

Result<std::shared_ptr<const Plan>> Program::Build(
    std::span<const Array> feeds) {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, Optimized(feeds, nullptr));
  SL_RETURN_IF_ERROR(Placed(*graph, feeds).status());
  PlanOptions options = options_;
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (!feeds[i].memory()) continue;
    options.args_at.resize(feeds.size());
    options.args_at[i] = DeviceNameOf(feeds[i].memory());
  }
  return Plan::Build(std::move(graph), options);
}

}  // namespace sluice
