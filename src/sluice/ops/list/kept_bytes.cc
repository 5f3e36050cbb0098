#include "sluice/ops/list/kept_bytes.h"

#include <unordered_set>

#include "sluice/tensor/list.h"

namespace sluice {

namespace {

// Nesting is at most kMaxListDepth deep.
int64_t Count(const ListValue& list, std::unordered_set<const void*>& seen) {
  int64_t bytes = 0;
  if (list.holds_copies()) {
    for (int64_t i = 0; i < list.size(); ++i) {
      if (list.there(i)) bytes += list.element_bytes();
    }
    return bytes;
  }
  for (int64_t i = 0; i < list.size(); ++i) {
    Array e = list.at(i);
    if (!e) continue;
    const ListValue* inner = e.dtype() == DType::kList ? ListOf(e) : nullptr;
    const void* memory = inner ? static_cast<const void*>(inner) : e.raw();
    if (!seen.insert(memory).second) continue;
    bytes += inner ? Count(*inner, seen) : e.bytes();
  }
  return bytes;
}

}  // namespace

int64_t KeptBytes(const Array& value) {
  if (!value) return 0;
  if (value.dtype() != DType::kList) return value.bytes();
  const ListValue* list = ListOf(value);
  std::unordered_set<const void*> seen;
  return list ? Count(*list, seen) : 0;
}

}  // namespace sluice
