// NameTable: the nodes of a graph by name. Names are read from the nodes and
// not stored again: 16 to 32 bytes per node. Part of its Graph and guarded as
// that is. A node's name changes only while it is in no table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sluice {

class Node;

class NameTable {
 public:
  // Null if there is no node with that name.
  Node* Find(std::string_view name) const;
  // REQUIRES: its name is not in the table.
  void Insert(Node& node);
  // REQUIRES: it is in the table.
  void Erase(const Node& node);
  // Reserves memory for this many nodes in total.
  void Reserve(size_t nodes);

 private:
  // Open addressing: a node is stored at the first free place from its hash
  // position on. Two lists, so that growing does not read nodes.
  size_t Start(uint32_t hash) const { return hash & (nodes_.size() - 1); }
  size_t Next(size_t at) const { return (at + 1) & (nodes_.size() - 1); }
  void Put(Node* node, uint32_t hash);
  void Resize(size_t places);

  std::vector<Node*> nodes_;  // a power of two; null: free
  std::vector<uint32_t> hashes_;
  size_t count_ = 0;
};

}  // namespace sluice
