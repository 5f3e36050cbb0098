// CallTwins: two additional functions for each function that gradients pass
// through. The forward twin computes the same results and one more, a list of
// the residuals that the gradient reads. The backward twin takes that list and
// the gradients of the results, and returns the gradients of the arguments and
// captures. A call inside the forward twin stores its own list inside the
// caller's, so nothing is computed twice, however deep calls are nested. Calls
// that need the same gradients share twins; the function itself is unchanged.
//
// Lives for one call of Gradients, whose caller holds the graph's lock; looked
// up by thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/autodiff/call_activity.h"

namespace sluice {

struct CallTwin {
  CallActivity activity;
  Node* original = nullptr;
  Node* forward = nullptr;
  Node* backward = nullptr;
  bool hoist = true;
  int kept = 0;      // the index of the list among the results of `forward`
  bool open = true;  // incomplete, but calls inside `forward` use it
  // Names and ids of forward and backward, which detect nodes that were
  // removed.
  std::string names[2];
  int ids[2] = {};
  std::unordered_set<const Node*> used_by;  // calls that gradients go through
};

class CallTwins {
 public:
  // The CallTwins of the gradients being built for this graph on this thread;
  // null outside a Scope.
  static CallTwins* Current(const Graph& graph);

  class Scope {
   public:
    explicit Scope(Graph& graph);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CallTwins* const before_;
    std::unique_ptr<CallTwins> own_;  // null inside another one's scope
  };

  // The twin with this forward function; null if there is none.
  CallTwin* OfForward(const Node& function);
  // The twin for calls of `function` with these gradients, made on first use.
  // Null: no gradient flows anywhere. `hoist` as in GradFlow.
  Result<CallTwin*> Get(Node& function, const CallActivity& activity,
                        bool hoist);
  // Makes `call` a call of the twin's forward function.
  void Redirect(Node& call, const CallTwin& twin);

 private:
  explicit CallTwins(Graph& graph) : graph_(graph) {}
  bool Valid(const CallTwin& twin) const;
  Status Begin(Node& function, const CallActivity& activity, CallTwin& twin);
  Result<bool> Fill(CallTwin& twin);
  void LeaveOthers(const CallTwin& twin);
  void Discard(CallTwin& twin);
  void AddKept(Node& call);
  void DropKept(Node& call);

  Graph& graph_;
  std::vector<std::unique_ptr<CallTwin>> twins_;
};

}  // namespace sluice
