// A step over tasks that is fed and fetched in several calls (PartialRun). The
// step is an ordinary one that takes what it is fed from queues and puts what
// is fetched into others; a call is a small step that fills and empties some of
// them. So tasks know nothing of it.
//
// PartialPlaces keeps queues and prepared graphs of one choice of feeds,
// fetches and targets for the next such step, when one has ended as it should;
// else they go. Thread safe; part of a RemoteSession, which must outlive the
// runs.
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

// The queues of one step, in a container of their own.
struct PartialPlace {
  std::vector<uint64_t> key;  // of the choice
  std::string container;
  std::shared_ptr<Program> program;     // what is fed and fetched
  std::vector<std::vector<int>> needs;  // by fetch: feeds that come before it
  uint64_t whole = 0;                   // the step, as it was prepared
  // Small steps by what they feed and fetch.
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
  // Containers of those that nobody uses; they are forgotten.
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
