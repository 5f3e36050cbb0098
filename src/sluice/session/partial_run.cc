#include "sluice/session/partial_run.h"

#include <algorithm>

#include "sluice/base/interruption.h"
#include "sluice/base/strings.h"
#include "sluice/step/step.h"
#include "sluice/step/step_pool.h"

namespace sluice {

PartialRun::PartialRun(std::shared_ptr<Program> program,
                       std::span<const Value> feeds,
                       std::span<const Value> fetches)
    : program_(std::move(program)),
      feeds_(feeds.begin(), feeds.end()),
      fetches_(fetches.begin(), fetches.end()),
      fed_(feeds.size()),
      fetched_(fetches.size()) {}

namespace {

// Adds the number of a value among those of the setup, unless it was used.
Status AddPart(const std::vector<Value>& all, const std::vector<bool>& used,
               const Value& value, const char* what, const char* done,
               std::vector<int>* parts) {
  auto it = std::find(all.begin(), all.end(), value);
  auto i = static_cast<int>(it - all.begin());
  std::string name = value ? value.ToString() : "(none)";
  if (it == all.end()) {
    return NotFound(StrCat("the ", what, " \"", name,
                           "\" was not specified in the partial run's setup"));
  }
  if (used[static_cast<size_t>(i)] ||
      std::count(parts->begin(), parts->end(), i)) {
    return InvalidArgument(StrCat("\"", name, "\" has already been ", done));
  }
  parts->push_back(i);
  return OkStatus();
}

}  // namespace

Result<PartialRun::Parts> PartialRun::PartsOf(std::span<const Value> fetches,
                                              const FeedList& feeds) const {
  if (fetches.empty() && feeds.empty()) {
    return InvalidArgument("a partial run call needs a feed or a fetch");
  }
  Parts parts;
  for (const auto& [value, array] : feeds) {
    SL_RETURN_IF_ERROR(
        AddPart(feeds_, fed_, value, "feed", "fed", &parts.feeds));
    SL_RETURN_IF_ERROR(program_->CheckFeed(parts.feeds.back(), array));
  }
  for (const Value& value : fetches) {
    SL_RETURN_IF_ERROR(
        AddPart(fetches_, fetched_, value, "fetch", "fetched", &parts.fetches));
  }
  return parts;
}

void PartialRun::WasFed(const Parts& parts) {
  for (int i : parts.feeds) fed_[static_cast<size_t>(i)] = true;
}

void PartialRun::WasFetched(const Parts& parts) {
  for (int i : parts.fetches) fetched_[static_cast<size_t>(i)] = true;
}

bool PartialRun::AllGiven() const {
  return std::count(fed_.begin(), fed_.end(), false) == 0 &&
         std::count(fetched_.begin(), fetched_.end(), false) == 0;
}

Status CheckPartial(std::span<const Value> fetches,
                    std::span<Node* const> targets) {
  if (!fetches.empty() || !targets.empty()) return OkStatus();
  return InvalidArgument("a partial run needs at least one fetch or target");
}

namespace {

class LocalPartialRun final : public PartialRun {
 public:
  LocalPartialRun(LocalMaster& master, std::shared_ptr<Program> program,
                  std::shared_ptr<const Plan> plan,
                  std::span<const Value> feeds, std::span<const Value> fetches)
      : PartialRun(std::move(program), feeds, fetches),
        plan_(std::move(plan)),
        step_(AcquireStep(*plan_)) {
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

  ~LocalPartialRun() override {
    step_->Cancel(Cancelled("the partial run was dropped"));
    step_->RunUntilQuiet();
    (void)step_->Finish();
    active_ = nullptr;
    for (Array& value : step_->results()) value = Array();
    ReleaseStep(*plan_, std::move(step_));
  }

  Result<std::vector<Array>> Run(std::span<const Value> fetches,
                                 const FeedList& feeds) override {
    if (!broken_.ok()) return broken_;
    SL_ASSIGN_OR_RETURN(Parts parts, PartsOf(fetches, feeds));
    for (size_t k = 0; k < feeds.size(); ++k) {
      step_->Feed(parts.feeds[k], feeds[k].second);
    }
    WasFed(parts);
    {
      Interruption::Running stoppable(step_->cancellation());
      step_->RunUntilQuiet();
    }
    Status status = step_->error();
    if (status.ok()) status = step_->cancellation()->status();
    if (!status.ok()) return broken_ = status;
    std::vector<Array> results;
    for (size_t k = 0; k < fetches.size(); ++k) {
      const Array& value =
          step_->results()[static_cast<size_t>(parts.fetches[k])];
      if (!value) {
        return FailedPrecondition(
            StrCat("the fetch \"", fetches[k].ToString(),
                   "\" needs a feed that has not been given yet\n",
                   step_->WhyWaiting()));
      }
      results.push_back(value);
    }
    WasFetched(parts);
    return results;
  }

 private:
  const std::shared_ptr<const Plan> plan_;
  std::unique_ptr<Step> step_;
  std::unique_ptr<LocalMaster::Active> active_;
};

}  // namespace

Result<std::unique_ptr<PartialRun>> PartialRun::Setup(
    LocalMaster& master, std::span<const Value> feeds,
    std::span<const Value> fetches, std::span<Node* const> targets) {
  SL_RETURN_IF_ERROR(CheckPartial(fetches, targets));
  // Islands would wait for all their inputs; here inputs come one by one.
  SL_ASSIGN_OR_RETURN(
      std::shared_ptr<Program> program,
      master.ProgramFor(feeds, fetches, targets, ExecutorChoice::kTokens));
  SL_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, program->GenericPlan());
  return std::unique_ptr<PartialRun>(std::make_unique<LocalPartialRun>(
      master, std::move(program), std::move(plan), feeds, fetches));
}

}  // namespace sluice
