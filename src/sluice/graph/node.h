// Node and Region: the parts of a Graph.
//
// A Node is one op with its attributes and inputs; a Value (graph/value.h) is
// one of its outputs; a Region is a list of nodes with arguments and results.
// Ops like If and While own regions; the nodes inside may use values of the
// enclosing regions. Nodes belong to their Graph and change only through it.
//
// A graph may have millions of nodes: data that a node has in common with
// others is stored in the graph (graph/node_pool.h), data that few nodes have
// is stored separately.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/base/source_line.h"
#include "sluice/graph/compact_list.h"
#include "sluice/graph/node_pool.h"
#include "sluice/graph/value.h"
#include "sluice/op/record.h"

namespace sluice {

class Node {
 public:
  int id() const { return id_; }  // grows in program order
  const OpRecord& op() const { return *op_; }
  const std::string& name() const { return name_; }
  const Attrs& attrs() const {
    if (attrs_) return attrs_->attrs;
    static const Attrs* const kNone = new Attrs;
    return *kNone;
  }
  std::span<const Value> inputs() const { return inputs_.span(); }
  const Value& input(int i) const { return inputs_[static_cast<size_t>(i)]; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  // Nodes that must finish before this one starts.
  std::span<Node* const> controls() const {
    return few_ ? std::span<Node* const>(few_->controls)
                : std::span<Node* const>();
  }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const ValueType& output_type(int i) const {
    return *outputs_[static_cast<size_t>(i)];
  }
  Value output(int i = 0) { return {this, i}; }
  std::span<const std::unique_ptr<Region>> regions() const {
    return few_ ? std::span<const std::unique_ptr<Region>>(few_->regions)
                : std::span<const std::unique_ptr<Region>>();
  }
  Region* region() const { return region_; }  // the one that contains this node
  const SourceLine& line() const { return origin().line; }
  // "encoder/layer1"
  const std::string& scope() const { return origin().scope; }
  // "" for no preference
  const std::string& device() const { return origin().device; }
  // Nodes that use an output or wait for this node; one entry per use.
  std::span<Node* const> users() const { return users_.span(); }
  // True for the pseudo node whose outputs are a region's arguments.
  bool is_args() const { return is_args_; }
  // Keys random numbers: set when the node is made and kept by every copy.
  uint64_t key() const { return key_; }

 private:
  friend class BatchEdit;
  friend class Graph;
  friend class Region;
  // Data that only few nodes have.
  struct Few {
    std::vector<Node*> controls;
    std::vector<std::unique_ptr<Region>> regions;
  };
  Few& few() {
    if (!few_) few_ = std::make_unique<Few>();
    return *few_;
  }
  const NodeOrigin& origin() const {
    if (origin_) return *origin_;
    static const NodeOrigin* const kNone = new NodeOrigin;
    return *kNone;
  }

  int id_ = -1;
  bool is_args_ = false;
  const OpRecord* op_ = nullptr;
  Region* region_ = nullptr;
  std::string name_;
  const NodeOrigin* origin_ = nullptr;  // owned by the graph
  Ref<SharedAttrs> attrs_;              // null: none
  uint64_t key_ = 0;
  CompactList<Value, 2> inputs_;
  CompactList<const ValueType*, 1> outputs_;  // owned by the graph
  CompactList<Node*, 1> users_;
  std::unique_ptr<Few> few_;  // null if it has neither
};

class Region {
 public:
  const std::string& label() const { return label_; }  // "cond", "body", ...
  Node* owner() const { return owner_; }               // null for the root
  Region* parent() const { return owner_ ? owner_->region() : nullptr; }
  // Arguments are the outputs of a pseudo node.
  int num_args() const { return args_->num_outputs(); }
  Value arg(int i) const { return {args_, i}; }
  const std::string& arg_name(int i) const {
    return arg_names_[static_cast<size_t>(i)];
  }
  // -1 if there is no argument with that name.
  int FindArg(std::string_view name) const;
  Node* args_node() const { return args_; }
  // In program order.
  std::span<Node* const> nodes() const {
    return {nodes_.data(), nodes_.size()};
  }
  std::span<const Value> results() const {
    return {results_.data(), results_.size()};
  }
  // Nodes that must run although no result needs them.
  std::span<Node* const> targets() const {
    return {targets_.data(), targets_.size()};
  }
  // True if `inner` is this region or nested inside it: nodes there may use
  // values of this region.
  bool Encloses(const Region* inner) const {
    for (; inner; inner = inner->parent()) {
      if (inner == this) return true;
    }
    return false;
  }

 private:
  friend class BatchEdit;
  friend class Graph;
  std::string label_;
  Node* owner_ = nullptr;
  Node* args_ = nullptr;
  std::vector<std::string> arg_names_;
  // For many arguments: their numbers by name.
  std::unordered_map<std::string, int> arg_index_;
  std::vector<Node*> nodes_;
  std::vector<Value> results_;
  std::vector<Node*> targets_;
};

// Whether `user` reads a value of its previous iteration: the only kind of edge
// that may point upwards in program order.
inline bool IsBackEdge(const Node& user, const Value& input) {
  return user.op().flow == Flow::kMerge &&
         input.node->op().flow == Flow::kNextIteration;
}

// Whether `used` is a function read inside its own region: a recursive call.
inline bool IsOwnFunction(const Node& used, const Region* inside) {
  if (used.op().flow != Flow::kFunction) return false;
  for (; inside; inside = inside->parent()) {
    if (inside->owner() == &used) return true;
  }
  return false;
}

}  // namespace sluice
