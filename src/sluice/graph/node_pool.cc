#include "sluice/graph/node_pool.h"

#include <string_view>

namespace sluice {

namespace {

void Mix(size_t& hash, size_t more) {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
}

// Arrays may be large, and nodes rarely share one.
bool QuickToCompare(const Attrs& attrs) {
  for (const auto& [name, value] : attrs) {
    if (value.kind() == AttrKind::kArray) return false;
  }
  return true;
}

}  // namespace

size_t NodePool::TypeHash::operator()(const ValueType& type) const {
  size_t hash = static_cast<size_t>(type.dtype);
  Mix(hash, static_cast<size_t>(type.shape.rank()));
  for (int64_t dim : type.shape.dims()) Mix(hash, static_cast<size_t>(dim));
  return hash;
}

size_t NodePool::OriginHash::operator()(const NodeOrigin& origin) const {
  size_t hash = static_cast<size_t>(origin.line.line);
  Mix(hash, reinterpret_cast<size_t>(origin.line.file));
  Mix(hash, std::hash<std::string_view>()(origin.scope));
  Mix(hash, std::hash<std::string_view>()(origin.device));
  return hash;
}

const ValueType* NodePool::Type(const ValueType& type) {
  if (!last_type_ || !(*last_type_ == type)) {
    last_type_ = &*types_.insert(type).first;
  }
  return last_type_;
}

const NodeOrigin* NodePool::Origin(const NodeOrigin& origin) {
  if (!last_origin_ || !(*last_origin_ == origin)) {
    last_origin_ = &*origins_.insert(origin).first;
  }
  return last_origin_;
}

Ref<SharedAttrs> NodePool::AttrsOf(const OpRecord& op, Attrs attrs) {
  if (attrs.empty()) return nullptr;
  if (!QuickToCompare(attrs)) return MakeRef<SharedAttrs>(std::move(attrs));
  Ref<SharedAttrs>& last = attrs_[&op];
  if (!last || !(last->attrs == attrs)) {
    last = MakeRef<SharedAttrs>(std::move(attrs));
  }
  return last;
}

}  // namespace sluice
