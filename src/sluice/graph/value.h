// Value: one output of a node, as used by all layers above the graph; and its
// type. Plain values; the graph must outlive them. Nodes are defined in
// graph/node.h, which holders of values need not include.
#pragma once

#include <cstddef>
#include <string>

#include "sluice/tensor/dtype.h"
#include "sluice/tensor/shape.h"

namespace sluice {

class Graph;
class Node;
class Region;

struct ValueType {
  DType dtype = DType::kInvalid;
  PartialShape shape;
  bool operator==(const ValueType&) const = default;
  std::string ToString() const;
};

// Output `index` of `node`. Two words; compares by identity.
struct Value {
  Node* node = nullptr;
  int index = 0;

  explicit operator bool() const { return node != nullptr; }
  bool operator==(const Value&) const = default;
  const ValueType& type() const;
  DType dtype() const { return type().dtype; }
  const PartialShape& shape() const { return type().shape; }
  // "name" for output 0, "name:2" for the others; an argument's own name.
  std::string ToString() const;
};

struct ValueHash {
  size_t operator()(const Value& v) const {
    return reinterpret_cast<size_t>(v.node) * 31 + static_cast<size_t>(v.index);
  }
};

}  // namespace sluice
