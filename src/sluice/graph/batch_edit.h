// BatchEdit: many changes to a graph in one sweep. Graph's own editing calls
// keep every list of users right at each step, which costs a search each time;
// a pass over a million nodes notes its changes here and Commit() applies them
// all in linear time.
//
// Until Commit(), users() and the lists of nodes show the graph as it was.
// A pass visits nodes in program order and calls Update(node) first, so that
// it sees the inputs its own changes have led to. One per graph at a time.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

class BatchEdit {
 public:
  explicit BatchEdit(Graph& graph);

  // The value that now stands for `v`.
  Value Resolve(Value v) const;
  // Makes the node's inputs the values that now stand for them.
  void Update(Node& node);

  // Users of `from`, results included, will read `to`, which must be in scope
  // wherever `from` is.
  void Replace(Value from, Value to);
  // Nodes that waited for `from` will wait for these instead.
  void ReplaceControl(Node& from, std::vector<Node*> to);
  void AddControl(Node& node, Node& before);
  // The node becomes another op under the same name and with the same outputs.
  // Error, and nothing changes: the op does not take these, or its outputs
  // would be of other types.
  Status Rewrite(Node& node, std::string_view op, std::vector<Value> inputs,
                 const Attrs& attrs);
  // Puts a node that Graph::Add has just appended before `place`.
  void InsertBefore(Node& inserted, Node& place);
  // Moves a node, regions and all, right before `place` or to the front or end
  // of `region`, which may be in another region than before. The node is there
  // from now on; the lists of nodes change with Commit(). At most one move per
  // node. REQUIRES: everything it reads is in scope there.
  void MoveBefore(Node& node, Node& place);
  void MoveToFront(Node& node, Region& region);
  void MoveToEnd(Node& node, Region& region);
  // `heir`, which Graph::Add has just appended, gets the place, name, key,
  // line, device and controls of `gone`, and those who waited for `gone` or
  // asked for it as a target; `gone` is erased. Outputs are not replaced.
  void TakeOver(Node& heir, Node& gone);
  // From now on; needs no Commit() by itself.
  void SetDevice(Node& node, std::string_view device);
  // REQUIRES: by Commit() nothing uses it; its regions go with it, apart from
  // what was moved out of them.
  void Erase(Node& node);

  bool erased(const Node& node) const { return erased_.count(&node) > 0; }
  // Targets must stay: somebody asked for them by name.
  bool is_target(const Node& node) const { return targets_.count(&node) > 0; }
  // True when a node waits for this one without reading it.
  static bool HasControlUser(const Node& node);

  bool changed() const { return changed_; }
  // Applies everything; returns changed(). Call it once, at the end.
  bool Commit();

 private:
  void FindTargets(const Region& region);
  void CommitRegion(Region& region);
  void CommitNode(Node* node, std::vector<Node*>& kept);
  void CommitControls(Node& node);
  void Drop(Region& region);

  Graph& graph_;
  bool changed_ = false;
  std::unordered_set<const Node*> targets_;
  Graph::ValueMap replaced_;
  std::unordered_map<const Node*, std::vector<Node*>> replaced_controls_;
  std::unordered_map<const Node*, std::vector<Node*>> inserted_;
  // At the ends of regions; the front is listed from its last node.
  std::unordered_map<const Region*, std::vector<Node*>> front_, end_;
  std::unordered_map<const Node*, Node*> heirs_;
  std::unordered_set<const Node*> erased_, inserted_nodes_;
  std::vector<Node*> dropped_;
};

}  // namespace sluice
