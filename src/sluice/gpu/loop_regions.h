// The parts of a loop, as the code that compiles it for a GPU needs them.
//
// Plain functions; any thread.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/graph/role_of.h"

namespace sluice {

inline const Region& CondOf(const Node& loop) { return *loop.regions()[0]; }
inline const Region& BodyOf(const Node& loop) { return *loop.regions()[1]; }

inline ValueType TypeOf(const Value& v) { return {v.dtype(), v.shape()}; }

// Copies between devices count as identities: the whole loop is on one device.
inline bool HandsOn(const Node& node) {
  return node.op().role == Role::kIdentity;
}
// The origin of a value that nodes of the region pass on unchanged.
inline Value HandedOn(Value v, const Region& region) {
  while (v.node->region() == &region && HandsOn(*v.node)) {
    v = v.node->input(0);
  }
  return v;
}

// List ops that a loop on a GPU implements itself.
inline bool Writes(const Node& node) {
  return RoleOf(node) == Role::kListAppend || RoleOf(node) == Role::kListSet;
}
inline bool IsListNode(const Node& node) {
  return Writes(node) || RoleOf(node) == Role::kListGet;
}

}  // namespace sluice
