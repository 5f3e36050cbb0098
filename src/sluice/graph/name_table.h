// NameTable: the nodes of a graph by their names, which it reads from the nodes
// and does not keep again: 16 to 32 bytes a node. Part of its Graph and guarded
// as that is. A node's name changes only while it is in no table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sluice {

class Node;

class NameTable {
 public:
  // Null when there is none of that name.
  Node* Find(std::string_view name) const;
  // REQUIRES: its name is not there.
  void Insert(Node& node);
  // REQUIRES: it is there.
  void Erase(const Node& node);
  // Makes room for that many in all.
  void Reserve(size_t nodes);

 private:
  // Open addressing: a node is at the first free place from where its hash
  // leads. Two lists, so that growing reads no node.
  size_t Start(uint32_t hash) const { return hash & (nodes_.size() - 1); }
  size_t Next(size_t at) const { return (at + 1) & (nodes_.size() - 1); }
  void Put(Node* node, uint32_t hash);
  void Resize(size_t places);

  std::vector<Node*> nodes_;  // a power of two of them; null: free
  std::vector<uint32_t> hashes_;
  size_t count_ = 0;
};

}  // namespace sluice
