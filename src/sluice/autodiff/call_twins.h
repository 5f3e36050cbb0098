// CallTwins: for a function that gradients go through, two others. Its forward
// twin does what it does and gives one more result, a list of what the gradient
// reads of the run; its backward twin takes that list and what flows into the
// results, and gives what flows to the arguments and to values around the
// function. A call inside the forward twin hands its own list on inside the
// caller's, so nothing is computed twice however deep calls are nested. Calls
// that need the same gradients share their twins; the function itself stays as
// it is.
//
// Lives for one call of Gradients, whose caller holds the graph's lock, and is
// found by the thread that makes it.
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
  int kept = 0;      // the result of `forward` that is the list
  bool open = true;  // being made: calls inside `forward` use it already
  // Of forward and backward: nodes may have been moved and made again since.
  std::string names[2];
  int ids[2] = {};
  std::unordered_set<const Node*> used_by;  // calls that gradients go through
};

class CallTwins {
 public:
  // Those of the gradients being computed on this thread for this graph; there
  // are none outside of a Scope.
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

  // The twin whose forward function this is; null when there is none.
  CallTwin* OfForward(const Node& function);
  // What stands for calls of `function` with these gradients; made when there
  // is none. Null: no gradient flows to anything. `hoist` as in GradFlow.
  Result<CallTwin*> Get(Node& function, const CallActivity& activity,
                        bool hoist);
  // Makes `call` one of the twin's forward function.
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
