// Tensor and Operation: what the user's program holds of a graph. A Tensor is
// one value of a graph, an Operation one node, to be run for what it does.
//
// Plain handles of a few words, copied freely; the graph must outlive them. A
// default-made one holds nothing; asking it anything throws.
#pragma once

#include <string>

#include "sluice/graph/node.h"

namespace sluice {

class Tensor;

class Operation {
 public:
  Operation() = default;
  Operation(Graph& graph, Node& node) : graph_(&graph), node_(&node) {}

  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const Operation&) const = default;

  const std::string& name() const { return node().name(); }     // "encoder/w"
  const std::string& type() const { return node().op().name; }  // "MatMul"
  int num_outputs() const { return node().num_outputs(); }
  // Throws when there is no output of that number.
  Tensor output(int i = 0) const;

  Graph& graph() const;
  Node& node() const;

 private:
  Graph* graph_ = nullptr;
  Node* node_ = nullptr;
};

class Tensor {
 public:
  Tensor() = default;
  Tensor(Graph& graph, Value value) : graph_(&graph), value_(value) {}

  explicit operator bool() const { return value_.node != nullptr; }

  DType dtype() const { return value().dtype(); }
  const PartialShape& shape() const { return value().shape(); }
  int rank() const { return shape().rank(); }  // -1 when unknown
  // "x", "split:1": what Session::run takes as a name, too.
  std::string name() const { return value().ToString(); }
  Operation operation() const { return {graph(), *value().node}; }
  std::string ToString() const;  // "x: f32[?,784]"

  Graph& graph() const;
  Value value() const;

 private:
  Graph* graph_ = nullptr;
  Value value_;
};

// What the graph calls by that name ("x" or "x:0"; "train"). Throws when there
// is nothing of that name.
Tensor find_tensor(Graph& graph, std::string_view name);
Operation find_operation(Graph& graph, std::string_view name);

}  // namespace sluice
