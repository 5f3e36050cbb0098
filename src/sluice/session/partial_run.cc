#include "sluice/session/partial_run.h"

#include <algorithm>

#include "sluice/base/interruption.h"
#include "sluice/base/strings.h"
#include "sluice/step/step_pool.h"

namespace sluice {

PartialRun::PartialRun(LocalMaster& master, std::shared_ptr<const Plan> plan)
    : plan_(std::move(plan)), step_(AcquireStep(*plan_)) {
  StepRequest request;
  request.resources = &master.resources();
  request.pool = master.pool();
  RandomState random = master.NextStep();
  request.step_id = random.calls;
  request.seed = random.seed;
  step_->Begin(request);
  active_ =
      std::make_unique<LocalMaster::Active>(master, step_->cancellation());
  if (active_->refused()) step_->Cancel(Cancelled("the session is closed"));
}

PartialRun::~PartialRun() {
  step_->Cancel(Cancelled("the partial run was dropped"));
  step_->RunUntilQuiet();
  (void)step_->Finish();
  active_ = nullptr;
  for (Array& value : step_->results()) value = Array();
  ReleaseStep(*plan_, std::move(step_));
}

Result<std::unique_ptr<PartialRun>> PartialRun::Setup(
    LocalMaster& master, std::span<const Value> feeds,
    std::span<const Value> fetches, std::span<Node* const> targets) {
  if (fetches.empty() && targets.empty()) {
    return InvalidArgument("a partial run needs at least one fetch or target");
  }
  // Islands would wait for all their inputs; here inputs come one by one.
  SL_ASSIGN_OR_RETURN(
      std::shared_ptr<Program> program,
      master.ProgramFor(feeds, fetches, targets, ExecutorChoice::kTokens));
  SL_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, program->GenericPlan());
  std::unique_ptr<PartialRun> run(new PartialRun(master, std::move(plan)));
  run->program_ = std::move(program);
  run->feeds_.assign(feeds.begin(), feeds.end());
  run->fetches_.assign(fetches.begin(), fetches.end());
  run->fed_.resize(feeds.size());
  run->fetched_.resize(fetches.size());
  return run;
}

Result<std::vector<Array>> PartialRun::Run(std::span<const Value> fetches,
                                           const FeedList& feeds) {
  if (!broken_.ok()) return broken_;
  if (fetches.empty() && feeds.empty()) {
    return InvalidArgument("a partial run call needs a feed or a fetch");
  }
  std::vector<size_t> feed_at, fetch_at;
  for (const auto& [value, array] : feeds) {
    auto it = std::find(feeds_.begin(), feeds_.end(), value);
    auto i = static_cast<size_t>(it - feeds_.begin());
    std::string name = value ? value.ToString() : "(none)";
    if (it == feeds_.end()) {
      return NotFound(
          StrCat("the feed \"", name,
                 "\" was not specified in the partial run's setup"));
    }
    if (fed_[i] || std::count(feed_at.begin(), feed_at.end(), i)) {
      return InvalidArgument(StrCat("\"", name, "\" has already been fed"));
    }
    SL_RETURN_IF_ERROR(program_->CheckFeed(static_cast<int>(i), array));
    feed_at.push_back(i);
  }
  for (const Value& value : fetches) {
    auto it = std::find(fetches_.begin(), fetches_.end(), value);
    auto i = static_cast<size_t>(it - fetches_.begin());
    std::string name = value ? value.ToString() : "(none)";
    if (it == fetches_.end()) {
      return NotFound(
          StrCat("the fetch \"", name,
                 "\" was not specified in the partial run's setup"));
    }
    if (fetched_[i] || std::count(fetch_at.begin(), fetch_at.end(), i)) {
      return InvalidArgument(StrCat("\"", name, "\" has already been fetched"));
    }
    fetch_at.push_back(i);
  }
  for (size_t k = 0; k < feed_at.size(); ++k) {
    fed_[feed_at[k]] = true;
    step_->Feed(static_cast<int>(feed_at[k]), feeds[k].second);
  }
  {
    Interruption::Running stoppable(step_->cancellation());
    step_->RunUntilQuiet();
  }
  Status status = step_->error();
  if (status.ok()) status = step_->cancellation()->status();
  if (!status.ok()) return broken_ = status;
  std::vector<Array> results;
  for (size_t k = 0; k < fetch_at.size(); ++k) {
    const Array& value = step_->results()[fetch_at[k]];
    if (!value) {
      return FailedPrecondition(
          StrCat("the fetch \"", fetches[k].ToString(),
                 "\" needs a feed that has not been given yet\n",
                 step_->WhyWaiting()));
    }
    results.push_back(value);
  }
  for (size_t i : fetch_at) fetched_[i] = true;
  return results;
}

}  // namespace sluice
