#include "sluice/session/program.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/passes/pipeline.h"
#include "sluice/passes/report_loops.h"

namespace sluice {

Status Program::CheckFeed(int i, const Array& value) const {
  const Region& root = graph_->root();
  const ValueType type = root.arg(i).type();
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
    reporting_ = std::make_shared<Program>(std::move(graph), options_);
  }
  return reporting_;
}

namespace {
bool SameShapes(const std::vector<Shape>& shapes,
                std::span<const Array> feeds) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (!(shapes[i] == feeds[i].shape())) return false;
  }
  return true;
}
}  // namespace

void Program::DropStale() {
  // A container was reset: plans hold handles of resources that are gone.
  int64_t now = options_.resources ? options_.resources->generation() : 0;
  if (now == generation_) return;
  generation_ = now;
  entries_.clear();
  generic_ = nullptr;
}

Result<std::shared_ptr<const Plan>> Program::PlanFor(
    std::span<const Array> feeds) {
  // Plans are built under the lock: two threads asking for the same new plan
  // should not both build it.
  MutexLock lock(mu_);
  DropStale();
  ++clock_;
  for (Entry& e : entries_) {
    if (!SameShapes(e.shapes, feeds)) continue;
    e.last_used = clock_;
    if (!e.plan) {
      SL_ASSIGN_OR_RETURN(e.plan, Build(feeds));
    }
    return e.plan;
  }
  Entry entry;
  for (const Array& f : feeds) entry.shapes.push_back(f.shape());
  entry.last_used = clock_;
  if (entries_.size() < kMaxPlans) {
    SL_ASSIGN_OR_RETURN(entry.plan, Build(feeds));
    entries_.push_back(std::move(entry));
    return entries_.back().plan;
  }
  // Many different shapes: one that never comes back is not worth a plan. Note
  // it in place of the oldest, and plan it if it does come back.
  if (!generic_) {
    SL_ASSIGN_OR_RETURN(generic_, Build({}));
  }
  auto oldest = std::min_element(
      entries_.begin(), entries_.end(),
      [](const Entry& a, const Entry& b) { return a.last_used < b.last_used; });
  *oldest = std::move(entry);
  return generic_;
}

Result<std::shared_ptr<const Plan>> Program::GenericPlan() {
  MutexLock lock(mu_);
  DropStale();
  if (!generic_) {
    SL_ASSIGN_OR_RETURN(generic_, Build({}));
  }
  return generic_;
}

Result<std::unique_ptr<Graph>> Program::Optimized(std::span<const Array> feeds,
                                                  std::string* notes) const {
  std::unique_ptr<Graph> graph = graph_->Clone();
  for (size_t i = 0; i < feeds.size(); ++i) {
    graph->SetArgShape(graph->root(), static_cast<int>(i), feeds[i].shape());
  }
  PipelineOptions options;
  // Who asks for tokens wants primitives run as they are.
  options.raise = options_.executor != ExecutorChoice::kTokens;
  SL_ASSIGN_OR_RETURN(PassReport report, RunPipeline(*graph, options));
  for (const PassReport::Entry& entry : report.entries) {
    for (const std::string& note : entry.notes) {
      if (notes) StrAppend(*notes, "  ", entry.pass, ": ", note, "\n");
    }
  }
  return graph;
}

Result<std::string> Program::PassNotes(std::span<const Array> feeds) const {
  std::string notes;
  SL_RETURN_IF_ERROR(Optimized(feeds, &notes).status());
  return notes;
}

Result<std::shared_ptr<const Plan>> Program::Build(
    std::span<const Array> feeds) {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, Optimized(feeds, nullptr));
  return Plan::Build(std::move(graph), options_);
}

}  // namespace sluice
