// NodePool: what many nodes of a graph have in common, kept once: types, the
// places nodes come from, equal attributes. Part of its Graph and guarded as
// that is; what it hands out stays where it is as long as the pool.
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

// Where a node comes from and is to run.
struct NodeOrigin {
  std::string scope, device;
  SourceLine line;
  bool operator==(const NodeOrigin& o) const {
    return line.line == o.line.line && line.file == o.line.file &&
           line.function == o.line.function && scope == o.scope &&
           device == o.device;
  }
};

// Attributes that nodes share, copies in other graphs too. Never written.
struct SharedAttrs : RefCounted<SharedAttrs> {
  explicit SharedAttrs(Attrs a) : attrs(std::move(a)) {}
  const Attrs attrs;
};

class NodePool {
 public:
  const ValueType* Type(const ValueType& type);
  const NodeOrigin* Origin(const NodeOrigin& origin);
  // The same object as the last node of that op, if it has the same. Null for
  // no attributes.
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
  // Neighbours are alike: the last one given is looked at first.
  const ValueType* last_type_ = nullptr;
  const NodeOrigin* last_origin_ = nullptr;
};

}  // namespace sluice
