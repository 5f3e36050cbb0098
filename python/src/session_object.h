// A Session as Python has it: with programs found by what a run is asked for
// and given, so that a run that came before costs one lookup.
//
// The cache is used under the GIL; runs go without it. The graph's object must
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
  std::shared_ptr<Program> program;  // null: the steps run elsewhere
  std::vector<Value> feeds;
  std::vector<int> results;  // of each fetch: its result, -1 for none
  // For a master elsewhere.
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
    std::vector<nb::object> feeds;  // what is fed, without values
    ExecutorChoice executor = ExecutorChoice::kAuto;
    bool nan_trap = false;
  };
  // Found, or made. `tree` is of the fetches, `words` of everything asked.
  std::shared_ptr<const Choice> Find(const Asked& asked, const FetchTree& tree,
                                     const KeyWords& words);
  // Runs it and puts the results in the tree's place.
  nb::object Run(const Choice& choice, const FetchTree& tree, FeedValues& feeds,
                 const RunOptions& options, RunMetadata* metadata);

 private:
  static constexpr size_t kMaxChoices = 1024;
  struct Hash {
    size_t operator()(const std::vector<uint64_t>& words) const;
  };
  std::unordered_map<std::vector<uint64_t>, std::shared_ptr<const Choice>, Hash>
      choices_;
  // The one used last, found without a hash.
  std::vector<uint64_t> last_words_;
  std::shared_ptr<const Choice> last_;
};

// The keys of a dict of feeds, and its values. None: no feeds.
struct FeedDict {
  std::vector<nb::object> keys, values;
  explicit FeedDict(nb::handle feeds);
};
// What is fed where an object says: of a variable its handle, for which a
// variable of that step is fed.
Value FeedTarget(Graph& graph, nb::handle object, size_t number);
// Gives `values` one for that place. Throws when it does not fit.
void AddFeed(const Value& to, nb::handle object, FeedValues& values,
             bool keep = false);

}  // namespace sluice::py
