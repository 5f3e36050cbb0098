// PartialRun: one step fed and fetched in several calls. Set up with all feeds
// and fetches it will ever see; each call feeds some and fetches some, and what
// was computed stays. Dropping it cancels the step.
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
  // A step in this process. Errors: no fetches and no targets; feeds not in the
  // graph.
  static Result<std::unique_ptr<PartialRun>> Setup(
      LocalMaster& master, std::span<const Value> feeds,
      std::span<const Value> fetches, std::span<Node* const> targets);
  virtual ~PartialRun() = default;

  // Errors: a feed or fetch not named in Setup, fed or fetched before, or that
  // needs a feed not given yet. A refused call changes nothing.
  virtual Result<std::vector<Array>> Run(std::span<const Value> fetches,
                                         const FeedList& feeds) = 0;

 protected:
  // `program` says what may be fed.
  PartialRun(std::shared_ptr<Program> program, std::span<const Value> feeds,
             std::span<const Value> fetches);
  // What a call asks for, as numbers of what was set up.
  struct Parts {
    std::vector<int> feeds, fetches;
  };
  Result<Parts> PartsOf(std::span<const Value> fetches,
                        const FeedList& feeds) const;
  bool fed(int i) const { return fed_[static_cast<size_t>(i)]; }
  bool AllGiven() const;  // fed and fetched
  const Value& feed(int i) const { return feeds_[static_cast<size_t>(i)]; }
  void WasFed(const Parts& parts);
  void WasFetched(const Parts& parts);

  const std::shared_ptr<Program> program_;
  Status broken_;  // why the step cannot go on

 private:
  std::vector<Value> feeds_, fetches_;
  std::vector<bool> fed_, fetched_;
};

// Of what a step cannot be set up with.
Status CheckPartial(std::span<const Value> fetches,
                    std::span<Node* const> targets);

}  // namespace sluice
