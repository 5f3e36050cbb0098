// PartialRun: one step fed and fetched in several calls. Set up with all feeds
// and fetches it will ever see; each call feeds some and fetches some, and what
// was computed stays. Dropping it cancels the step.
//
// One call at a time; different partial runs are independent.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sluice/session/local_master.h"
#include "sluice/step/step.h"

namespace sluice {

class PartialRun {
 public:
  // Errors: no fetches and no targets; feeds not in the graph.
  static Result<std::unique_ptr<PartialRun>> Setup(
      LocalMaster& master, std::span<const Value> feeds,
      std::span<const Value> fetches, std::span<Node* const> targets);
  ~PartialRun();

  // Errors: a feed or fetch not named in Setup, fed or fetched before, or that
  // needs a feed not given yet. A refused call changes nothing.
  Result<std::vector<Array>> Run(std::span<const Value> fetches,
                                 const FeedList& feeds);

 private:
  PartialRun(LocalMaster& master, std::shared_ptr<const Plan> plan);

  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<Program> program_;
  std::unique_ptr<Step> step_;
  std::unique_ptr<LocalMaster::Active> active_;
  std::vector<Value> feeds_, fetches_;
  std::vector<bool> fed_, fetched_;
  Status broken_;  // why the step cannot go on
};

}  // namespace sluice
