// BatchEdit: many changes to a graph in one sweep. Graph's own editing calls
// keep every list of users correct at each step, which costs a search each
// time; a pass over a million nodes records its changes here, and Commit()
// applies them all in linear time.
//
// Until Commit(), users() and the lists of nodes show the old graph. A pass
// visits nodes in program order and calls Update(node) first, so that it sees
// the inputs that result from its own changes. One per graph at a time.
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

  // The value that currently replaces `v`.
  Value Resolve(Value v) const;
  // Makes the current replacements the inputs of the node.
  void Update(Node& node);

  // Users of `from`, and results, will read `to`, which must be in scope
  // wherever `from` is.
  void Replace(Value from, Value to);
  // Nodes that waited for `from` will wait for these instead.
  void ReplaceControl(Node& from, std::vector<Node*> to);
  void AddControl(Node& node, Node& before);
  // Turns the node into another op with the same name and outputs. Error,
  // without any change: the op does not accept these inputs and attributes, or
  // its outputs would have other types.
  Status Rewrite(Node& node, std::string_view op, std::vector<Value> inputs,
                 const Attrs& attrs);
  // Moves a node that Graph::Add has just appended to before `place`.
  void InsertBefore(Node& inserted, Node& place);
  // Moves a node, including its regions, to right before `place` or to the
  // front or end of `region`, which may be another region than before. The
  // node's region changes immediately; the lists of nodes change with Commit().
  // At most one move per node. REQUIRES: all its inputs are in scope there.
  void MoveBefore(Node& node, Node& place);
  void MoveToFront(Node& node, Region& region);
  void MoveToEnd(Node& node, Region& region);
  // `heir`, which Graph::Add has just appended, gets the place, name, key,
  // line, device and controls of `gone`, its role as a target, and the nodes
  // that waited for `gone`; `gone` is erased. Outputs are not replaced.
  void TakeOver(Node& heir, Node& gone);
  // Takes effect immediately, without Commit().
  void SetDevice(Node& node, std::string_view device);
  // REQUIRES: nothing uses it at the time of Commit(). Its regions are erased
  // with it, except for nodes moved out of them.
  void Erase(Node& node);

  bool erased(const Node& node) const { return erased_.count(&node) > 0; }
  // Targets must stay: the user requested them by name.
  bool is_target(const Node& node) const { return targets_.count(&node) > 0; }
  // True if a node waits for this one without reading it.
  static bool HasControlUser(const Node& node);

  bool changed() const { return changed_; }
  // Applies all changes; returns changed(). Call it once, at the end.
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
  // Nodes moved to the ends of regions; the front list starts with the last
  // node.
  std::unordered_map<const Region*, std::vector<Node*>> front_, end_;
  std::unordered_map<const Node*, Node*> heirs_;
  std::unordered_set<const Node*> erased_, inserted_nodes_;
  std::vector<Node*> dropped_;
};

}  // namespace sluice
