// Graph: a program of nodes under one root region. The root's arguments are the
// feeds, its results the fetches, its targets the nodes that must also run; a
// graph that the user is still building has none of these.
//
// Owns its nodes. Not copyable; Clone() makes a copy. Structure may be read
// from many threads; code that changes it, or reads while others may change it,
// holds mu(). Users only append nodes; passes that remove or rewire nodes work
// on a private copy.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sluice/base/source_line.h"
#include "sluice/base/status.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/graph/name_table.h"
#include "sluice/graph/value.h"

namespace sluice {

class Array;
class AttrValue;
class Attrs;
class NodePool;
struct OpRecord;

struct NodeOptions {
  std::string name;       // exact; an error if taken
  std::string name_hint;  // made unique; if empty, the op's name
  std::string scope;      // put before the name: "scope/name"
  std::vector<Node*> controls;
  std::string device;
  SourceLine line;
  uint64_t key = 0;  // 0: derived from the name
};

class Graph {
 public:
  explicit Graph(std::string_view name = "main");
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const std::string& name() const { return name_; }
  Region& root() { return *root_; }
  const Region& root() const { return *root_; }
  Mutex& mu() const { return mu_; }

  // Looks up the op, checks attributes, types and shapes, and appends a node to
  // `region`. An error names the user's line; the graph is then unchanged.
  Result<Node*> Add(Region& region, std::string_view op,
                    std::span<const Value> inputs, const Attrs& attrs,
                    const NodeOptions& options = {});
  // Appends an argument to a region. Errors: name taken within the region.
  Result<Value> AddArg(Region& region, std::string_view name, ValueType type);
  // Gives `owner` its next region. REQUIRES: its record declares one more.
  Result<Region*> AddRegion(Node& owner, std::string_view label);

  // Null if there is no node with that name.
  Node* FindNode(std::string_view name) const;
  // "name" or "name:index"; also the name of a root argument.
  Result<Value> FindValue(std::string_view text) const;

  int num_nodes() const { return static_cast<int>(num_live_); }
  // All ids are below this limit; ids of removed nodes are not reused.
  int id_limit() const { return static_cast<int>(nodes_.size()); }

  // Sets the outputs of a region op according to the results of its regions.
  // REQUIRES: nothing uses an output whose number changes.
  void SetOutputs(Node& node, std::vector<ValueType> outputs);
  // Moves `node` to the end of its region's program order: below the values
  // that its regions, recorded after it was made, use.
  void MoveToEnd(Node& node);

  // --- For passes and copies. REQUIRES: nobody else sees this graph. ---
  //
  // Reserves memory for this many nodes in total; affects only speed.
  void Reserve(size_t nodes);
  void SetInput(Node& node, int i, Value value);
  void SetInputs(Node& node, std::vector<Value> values);
  void AddControl(Node& node, Node& before);
  void RemoveControl(Node& node, Node& before);
  void SetAttr(Node& node, std::string_view name, AttrValue value);
  void SetOutputShape(Node& node, int i, PartialShape shape);
  void SetArgShape(Region& region, int i, PartialShape shape);
  void SetResults(Region& region, std::vector<Value> results);
  void SetTargets(Region& region, std::vector<Node*> targets);
  // All users of `from`, and results, read `to` instead.
  void ReplaceUses(Value from, Value to);
  // All nodes that waited for `from` wait for `to` instead.
  void ReplaceControlUses(Node& from, Node& to);
  // REQUIRES: no users, not a result, not a target.
  void Erase(Node& node);
  // Moves `node` to right before `before` in its region's program order.
  void MoveBefore(Node& node, Node& before);

  // Copies `node` (with its regions) to the end of `region` of this graph.
  // `map` gives its inputs in this graph and receives its outputs; inputs not
  // in the map must already be values of this graph.
  using ValueMap = std::unordered_map<Value, Value, ValueHash>;
  using NodeMap = std::unordered_map<const Node*, Node*>;
  Node* CopyNode(const Node& node, Region& region, ValueMap& map,
                 NodeMap& nodes);
  std::unique_ptr<Graph> Clone(ValueMap* map = nullptr,
                               NodeMap* nodes = nullptr) const;

 private:
  friend class BatchEdit;  // batch_edit.h: many changes in one sweep
  Node* NewNode();
  std::unique_ptr<Region> NewRegion(std::string_view label, Node* owner);
  Result<std::string> ChooseName(std::string_view op,
                                 const NodeOptions& options);
  void AddUse(Value value, Node* user);
  void DropUse(Node* producer, Node* user);
  void CopyRegion(const Region& from, Region& to, ValueMap& map,
                  NodeMap& nodes);
  void EraseRegion(Region& region);

  std::string name_;
  // Guards all members below. Without annotations: the callers of a shared
  // graph hold it, and a private copy needs no lock.
  mutable Mutex mu_;
  std::unique_ptr<NodePool> pool_;            // data that nodes share
  std::vector<std::unique_ptr<Node>> nodes_;  // by id; null when removed
  std::vector<std::unique_ptr<Node>> arg_nodes_;
  size_t num_live_ = 0;
  std::unique_ptr<Region> root_;
  NameTable by_name_;
  std::unordered_map<std::string, int> name_counts_;
};

// The record of the pseudo node that represents a region's arguments.
const OpRecord& RegionArgsRecord();

// The elements of a value known while building, that is, of a Const; else null.
const Array* ConstantValue(const Value& value);

// The default random-number key of a node with that name.
uint64_t NodeKey(std::string_view name);

// "  at model.cc:41 (node \"fc1/MatMul\")": the line under an error.
std::string NodeLine(const Node& node);

}  // namespace sluice
