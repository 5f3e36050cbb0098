// The working state of a lowering. Part of lower_*.cc.
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
  // What has happened to a resource in one frame so far.
  struct Track {
    Node* writer = nullptr;
    std::vector<Node*> readers;
  };
  using Tracks = std::map<std::string, Track>;

  // Where code is being laid: which frame, and under which guard it is alive.
  struct Context {
    enum Kind { kBase, kBranch, kFrame, kBody, kCall };
    Kind kind = kBase;
    Context* parent = nullptr;
    Region* region = nullptr;  // of the lowered graph
    Graph::ValueMap values;    // of the source -> here
    Value pred;                // kBranch, kBody: alive when pred is `side`
    bool side = true;
    Node* pivot = nullptr;  // alive exactly here; made when first asked for
    std::string frame;      // kFrame
    int64_t parallel = 1;
    Node* beat = nullptr;  // kFrame: what is there once in every iteration
    Tracks* tracks = nullptr;
    std::vector<const Node*> calls;  // as in Origin
  };

  struct Lifted {
    Node* function = nullptr;
    std::vector<Value> captures;  // of the source: arguments after its own
  };

  // ---- lower_control_flow.cc: nodes; lower_values.cc: values ----
  Status LowerRegion(Context& ctx, const Region& region);
  Status LowerNode(Context& ctx, Node& node);
  Status CopyPlain(Context& ctx, Node& node);
  Status CopyBytecode(Context& ctx, Node& node);
  Result<Value> Lookup(Context& ctx, const Value& v);
  bool Lowers(const Node& node) const;
  static bool IsPreset(const Value& v);
  // The nearest context that says when code is alive.
  static Context& Guard(Context& ctx);
  // Whether a value is there whatever the guard says.
  static bool Unguarded(Context& ctx, const Value& v);
  // The value, alive exactly when `ctx` is.
  Result<Value> Live(Context& ctx, const Value& v);
  Result<Value> LiveInput(Context& ctx, const Value& source);
  Result<Node*> Pivot(Context& ctx);
  Status GuardNode(Context& ctx, Node& node);
  Status CopyControls(Context& ctx, Node& copy, const Node& node);
  Result<Value> SwitchSide(Context& ctx, const Value& v, const Value& pred,
                           bool side);
  // An Identity of `v` that others may be made to wait for.
  Result<Node*> Pass(Context& ctx, const Value& v);
  Result<Value> True();
  Result<Value> NoFunction();
  Result<Value> Constant(Array value);
  // For nodes that stand for none: on the device of the one being lowered.
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
  // The region op being lowered: the wiring it becomes is where it is, on the
  // host as a rule, whatever its regions hold.
  const Node* now_ = nullptr;
  std::deque<Context> contexts_;  // never removed: controls look back at them
  std::vector<std::unique_ptr<Tracks>> tracks_;
  Graph::ValueMap presets_;  // constants and handles, there everywhere
  std::map<std::pair<std::pair<Node*, int>, std::pair<Node*, int>>, Node*>
      switches_;  // by (value, predicate)
  std::unordered_map<const Node*, Lifted> lifted_;
  std::unordered_map<const Node*, Context*> home_;  // of source nodes
  // What was laid for a region op: a stretch of made_.
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
  std::vector<BackEdge> back_edges_;  // raw loops, tied when all is copied
};

}  // namespace sluice
