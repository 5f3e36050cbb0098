// The working state of one lowering, used by one thread. Part of lower_*.cc.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/plan/lower_control_flow.h"

namespace sluice {

class Lowering {
 public:
  Lowering(const Graph& source, const WhyNotWhole& why);
  Result<Lowered> Run();

 private:
  // The accesses to a resource in one frame so far.
  struct Track {
    Node* writer = nullptr;
    std::vector<Node*> readers;
  };
  using Tracks = std::map<std::string, Track>;

  // The place where code is emitted: its frame and the guard under which it is
  // alive.
  struct Context {
    enum Kind { kBase, kBranch, kFrame, kBody, kCall };
    Kind kind = kBase;
    Context* parent = nullptr;
    Region* region = nullptr;  // in the lowered graph
    Graph::ValueMap values;    // source -> lowered
    Value pred;                // kBranch, kBody: alive when pred is `side`
    bool side = true;
    // Alive exactly when this context is; created on demand.
    Node* pivot = nullptr;
    std::string frame;  // kFrame
    int64_t parallel = 1;
    Node* beat = nullptr;  // kFrame: a node that fires once per iteration
    Tracks* tracks = nullptr;
    std::vector<const Node*> calls;  // as in Origin
  };

  struct Lifted {
    Node* function = nullptr;
    // Source values, passed after its own arguments.
    std::vector<Value> captures;
  };

  // ---- lower_control_flow.cc: nodes; lower_values.cc: values ----
  Status LowerRegion(Context& ctx, const Region& region);
  Status LowerNode(Context& ctx, Node& node);
  Status CopyPlain(Context& ctx, Node& node);
  Status CopyBytecode(Context& ctx, Node& node);
  Result<Value> Lookup(Context& ctx, const Value& v);
  bool Lowers(const Node& node) const;
  static bool IsPreset(const Value& v);
  // The nearest context that determines when code is alive.
  static Context& Guard(Context& ctx);
  // Whether a value is available regardless of the guard.
  static bool Unguarded(Context& ctx, const Value& v);
  // The value, alive exactly when `ctx` is.
  Result<Value> Live(Context& ctx, const Value& v);
  Result<Value> LiveInput(Context& ctx, const Value& source);
  Result<Node*> Pivot(Context& ctx);
  Status GuardNode(Context& ctx, Node& node);
  Status CopyControls(Context& ctx, Node& copy, const Node& node);
  Result<Value> SwitchSide(Context& ctx, const Value& v, const Value& pred,
                           bool side);
  // An Identity of `v` that other nodes can wait for.
  Result<Node*> Pass(Context& ctx, const Value& v);
  Result<Value> True();
  Result<Value> NoFunction();
  Result<Value> Constant(Array value);
  // Options for nodes without an origin: the device of the node being lowered.
  NodeOptions Here() const;
  Result<Node*> Add(Context& ctx, std::string_view op,
                    const std::vector<Value>& inputs, const Attrs& attrs,
                    const Node* origin);
  void SetOrigin(Context& ctx, const Node& lowered, const Node& source);

  // ---- lower_branch.cc ----
  Status LowerBranch(Context& ctx, Node& node);
  Status LowerCall(Context& ctx, Node& node);
  Status CallLifted(Context& ctx, Node& node, const Node& function);
  Result<Lifted*> Lift(const Node& function);

  // ---- lower_loop.cc ----
  struct Loop;
  Status LowerLoop(Context& ctx, Node& node);
  Status EnterLoop(Context& ctx, Loop& loop);
  Status EnterTokens(Context& ctx, Loop& loop);
  Status LowerCond(Loop& loop);
  Status LowerBody(Context& ctx, Loop& loop);
  Status HoldTokens(Loop& loop);
  Status LeaveLoop(Context& ctx, Loop& loop);
  Status CountIteration(Loop& loop);
  Status PassTokens(Context& ctx, Loop& loop);
  // Leads `next` of the body to the next iteration.
  Status GoRound(Loop& loop, Node* merge, const Value& next);
  Result<Node*> Carry(Context& ctx, Loop& loop, const Value& init);

  // ---- Order ----
  void Touch(Context& ctx, Node& lowered, const Node& source);
  void Touch(Context& ctx, Node& lowered, const std::string& resource,
             bool write);
  void Order(Node& before, Node& after, const std::string& resource);
  bool WrittenAnywhere(const std::string& resource);

  const Graph& source_;
  const WhyNotWhole& why_not_whole_;
  Lowered out_;
  Graph& graph_;
  // The region op being lowered. Its wiring is placed on the device of the op
  // itself, usually the host, regardless of the devices inside its regions.
  const Node* now_ = nullptr;
  // Never removed: control edges refer back to them.
  std::deque<Context> contexts_;
  std::vector<std::unique_ptr<Tracks>> tracks_;
  Graph::ValueMap presets_;  // constants and handles, available everywhere
  std::map<std::pair<std::pair<Node*, int>, std::pair<Node*, int>>, Node*>
      switches_;  // by (value, predicate)
  std::unordered_map<const Node*, Lifted> lifted_;
  std::unordered_map<const Node*, Context*> home_;  // of source nodes
  // The nodes emitted for a region op, as a range of made_.
  std::unordered_map<const Node*, std::pair<size_t, size_t>> stretch_;
  std::vector<std::pair<Node*, Tracks*>> made_;
  std::unordered_map<const Node*, Node*> copies_;  // source -> last copy
  std::unordered_map<std::string, bool> written_;
  bool written_known_ = false;
  std::unordered_map<std::string, int> frame_names_;
  Value true_, no_function_;
  struct BackEdge {
    Node* merge;
    int input;
    Value source;
  };
  // Of raw loops, connected after all nodes are copied.
  std::vector<BackEdge> back_edges_;
};

}  // namespace sluice
