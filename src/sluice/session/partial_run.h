// PartialRun: one step that is fed and fetched in several calls. Setup names
// all feeds and fetches; each call feeds some and fetches some, and computed
// values are kept. Destroying it cancels the step.
//
// One call at a time; different partial runs are independent. The master must
// outlive it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sluice/session/local_master.h"
#include "sluice/session/program.h"

namespace sluice {

class PartialRun {
 public:
  // Starts a step in this process. Errors: no fetches and no targets; feeds
  // that are not in the graph.
  static Result<std::unique_ptr<PartialRun>> Setup(
      LocalMaster& master, std::span<const Value> feeds,
      std::span<const Value> fetches, std::span<Node* const> targets);
  virtual ~PartialRun() = default;

  // Errors: a feed or fetch that was not named in Setup, was already fed or
  // fetched, or needs a feed that is still missing. A refused call changes
  // nothing.
  virtual Result<std::vector<Array>> Run(std::span<const Value> fetches,
                                         const FeedList& feeds) = 0;

 protected:
  // `program` tells what may be fed.
  PartialRun(std::shared_ptr<Program> program, std::span<const Value> feeds,
             std::span<const Value> fetches);
  // The feeds and fetches of one call, as indices into those of Setup.
  struct Parts {
    std::vector<int> feeds, fetches;
  };
  Result<Parts> PartsOf(std::span<const Value> fetches,
                        const FeedList& feeds) const;
  bool fed(int i) const { return fed_[static_cast<size_t>(i)]; }
  bool AllGiven() const;  // everything is fed and fetched
  const Value& feed(int i) const { return feeds_[static_cast<size_t>(i)]; }
  void WasFed(const Parts& parts);
  void WasFetched(const Parts& parts);

  const std::shared_ptr<Program> program_;
  Status broken_;  // why the step cannot continue

 private:
  std::vector<Value> feeds_, fetches_;
  std::vector<bool> fed_, fetched_;
};

// Errors for a step that cannot be set up.
Status CheckPartial(std::span<const Value> fetches,
                    std::span<Node* const> targets);

}  // namespace sluice
