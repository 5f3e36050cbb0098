// NodePool: data that many nodes of a graph have in common, stored once: types,
// origins, equal attributes. Part of its Graph and guarded as that is;
// addresses it returns stay valid as long as the pool.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sluice/base/ref_counted.h"
#include "sluice/base/source_line.h"
#include "sluice/graph/value.h"
#include "sluice/op/attr.h"

namespace sluice {

struct OpRecord;

// A node's origin, and the device it should run on.
struct NodeOrigin {
  std::string scope, device;
  SourceLine line;
  bool operator==(const NodeOrigin& o) const {
    return line.line == o.line.line && line.file == o.line.file &&
           line.function == o.line.function && scope == o.scope &&
           device == o.device;
  }
};

// Attributes shared by nodes, including copies in other graphs. Never written.
struct SharedAttrs : RefCounted<SharedAttrs> {
  explicit SharedAttrs(Attrs a) : attrs(std::move(a)) {}
  const Attrs attrs;
};

class NodePool {
 public:
  const ValueType* Type(const ValueType& type);
  const NodeOrigin* Origin(const NodeOrigin& origin);
  // Returns the object of the last node with that op if its attributes are
  // equal. Null for no attributes.
  Ref<SharedAttrs> AttrsOf(const OpRecord& op, Attrs attrs);

 private:
  struct TypeHash {
    size_t operator()(const ValueType& type) const;
  };
  struct OriginHash {
    size_t operator()(const NodeOrigin& origin) const;
  };
  std::unordered_set<ValueType, TypeHash> types_;
  std::unordered_set<NodeOrigin, OriginHash> origins_;
  std::unordered_map<const OpRecord*, Ref<SharedAttrs>> attrs_;
  // Neighbours are similar: the last result is checked first.
  const ValueType* last_type_ = nullptr;
  const NodeOrigin* last_origin_ = nullptr;
};

}  // namespace sluice
