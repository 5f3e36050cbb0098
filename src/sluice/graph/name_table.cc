#include "sluice/graph/name_table.h"

#include <functional>
#include <utility>

#include "sluice/base/status.h"
#include "sluice/graph/node.h"

namespace sluice {

namespace {

uint32_t HashOf(std::string_view name) {
  size_t hash = std::hash<std::string_view>()(name);
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

constexpr size_t kFirst = 16;

}  // namespace

Node* NameTable::Find(std::string_view name) const {
  if (nodes_.empty()) return nullptr;
  uint32_t hash = HashOf(name);
  for (size_t at = Start(hash); nodes_[at]; at = Next(at)) {
    if (hashes_[at] == hash && nodes_[at]->name() == name) return nodes_[at];
  }
  return nullptr;
}

void NameTable::Insert(Node& node) {
  // A quarter stays free, which keeps probe sequences short.
  if (4 * (count_ + 1) > 3 * nodes_.size()) {
    Resize(nodes_.empty() ? kFirst : 2 * nodes_.size());
  }
  Put(&node, HashOf(node.name()));
  ++count_;
}

void NameTable::Put(Node* node, uint32_t hash) {
  size_t at = Start(hash);
  while (nodes_[at]) at = Next(at);
  nodes_[at] = node;
  hashes_[at] = hash;
}

void NameTable::Erase(const Node& node) {
  size_t at = Start(HashOf(node.name()));
  for (; nodes_[at] != &node; at = Next(at)) SL_CHECK(nodes_[at]);
  // Entries behind the free place that may be stored there move up, so that no
  // search ends at it.
  for (size_t next = Next(at); nodes_[next]; next = Next(next)) {
    size_t mask = nodes_.size() - 1;
    size_t from_start = (next - Start(hashes_[next])) & mask;
    if (from_start < ((next - at) & mask)) continue;
    nodes_[at] = nodes_[next];
    hashes_[at] = hashes_[next];
    at = next;
  }
  nodes_[at] = nullptr;
  --count_;
}

void NameTable::Reserve(size_t nodes) {
  size_t places = kFirst;
  while (4 * nodes > 3 * places) places *= 2;
  if (places > nodes_.size()) Resize(places);
}

void NameTable::Resize(size_t places) {
  std::vector<Node*> nodes(places, nullptr);
  std::vector<uint32_t> hashes(places);
  std::swap(nodes, nodes_);
  std::swap(hashes, hashes_);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i]) Put(nodes[i], hashes[i]);
  }
}

}  // namespace sluice
