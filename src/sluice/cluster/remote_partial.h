// A step over tasks that is fed and fetched in several calls (PartialRun). The
// step is an ordinary one that takes its feeds from queues and puts its fetches
// into others; each call is a small step that fills and empties some of them.
// Tasks need no support for it.
//
// PartialPlaces keeps the queues and prepared graphs of one choice of feeds,
// fetches and targets for the next such step if one has ended normally, and
// drops them otherwise. Thread safe; part of a RemoteSession, which must
// outlive the runs.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/session/partial_run.h"

namespace sluice::cluster {

class RemoteSession;

// The queues of one step, in their own resource container.
struct PartialPlace {
  std::vector<uint64_t> key;  // of the choice
  std::string container;
  std::shared_ptr<Program> program;     // its feeds and fetches
  std::vector<std::vector<int>> needs;  // by fetch: the feeds it depends on
  uint64_t whole = 0;                   // the prepared step
  // Prepared small steps, by what they feed and fetch.
  std::map<std::pair<std::vector<int>, std::vector<int>>, uint64_t> parts;
};

class PartialPlaces {
 public:
  explicit PartialPlaces(RemoteSession& session) : session_(session) {}

  Result<std::unique_ptr<PartialRun>> Setup(Graph& graph,
                                            std::span<const Value> feeds,
                                            std::span<const Value> fetches,
                                            std::span<Node* const> targets);
  // `clean`: its queues are empty.
  void GiveBack(std::unique_ptr<PartialPlace> place, bool clean);
  // Removes and returns the containers that are not in use.
  std::vector<std::string> TakeIdle();

 private:
  Result<std::unique_ptr<PartialPlace>> Make(Graph& graph,
                                             std::span<const Value> feeds,
                                             std::span<const Value> fetches,
                                             std::span<Node* const> targets);

  RemoteSession& session_;
  Mutex mu_;
  uint64_t next_ SL_GUARDED_BY(mu_) = 1;
  std::vector<std::unique_ptr<PartialPlace>> idle_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::cluster
