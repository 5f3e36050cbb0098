// A Session in Python, with a cache of programs by feeds and fetches, so that a
// repeated run costs one lookup.
//
// The cache is used under the GIL; runs release it. The graph's object must
// outlive this one.
#pragma once

#include <unordered_map>

#include "feed_values.h"
#include "fetches.h"
#include "sluice/front/session.h"
#include "sluice/session/program.h"

namespace sluice::py {

// One choice of feeds, fetches and targets.
struct Choice {
  std::shared_ptr<Program> program;  // null: the steps run remotely
  std::vector<Value> feeds;
  std::vector<int> results;  // by fetch: its result, -1 for none
  // For a remote master.
  std::vector<Value> fetches;
  std::vector<Node*> targets;
  ExecutorChoice executor = ExecutorChoice::kAuto;
  bool nan_trap = false;
};

class SessionObject : public Session {
 public:
  using Session::Session;

  struct Asked {
    nb::object fetches;
    std::vector<nb::object> feeds;  // the fed objects, without their values
    ExecutorChoice executor = ExecutorChoice::kAuto;
    bool nan_trap = false;
  };
  // Finds or makes the choice. `tree` has the fetches, `words` is the whole
  // key.
  std::shared_ptr<const Choice> Find(const Asked& asked, const FetchTree& tree,
                                     const KeyWords& words);
  // Runs it and returns the results in the structure of the tree.
  nb::object Run(const Choice& choice, const FetchTree& tree, FeedValues& feeds,
                 const RunOptions& options, RunMetadata* metadata);

 private:
  static constexpr size_t kMaxChoices = 1024;
  struct Hash {
    size_t operator()(const std::vector<uint64_t>& words) const;
  };
  std::unordered_map<std::vector<uint64_t>, std::shared_ptr<const Choice>, Hash>
      choices_;
  // The most recent one, found without hashing.
  std::vector<uint64_t> last_words_;
  std::shared_ptr<const Choice> last_;
};

// The keys and values of a dict of feeds. None: no feeds.
struct FeedDict {
  std::vector<nb::object> keys, values;
  explicit FeedDict(nb::handle feeds);
};
// The value to feed for an object: for a variable its handle, which is then
// replaced by a temporary variable in that step.
Value FeedTarget(Graph& graph, nb::handle object, size_t number);
// Adds a value for that place. Throws if it does not fit.
void AddFeed(const Value& to, nb::handle object, FeedValues& values,
             bool keep = false);

}  // namespace sluice::py
