// ReferenceScope: the values of one activation of a region in the reference
// interpreter; captures are found in the enclosing activations.
//
// Lives while its region runs, on one thread.
#pragma once

#include <unordered_map>

#include "sluice/graph/node.h"
#include "sluice/reference/interpret_observer.h"

namespace sluice {

struct ReferenceScope {
  const ReferenceScope* outer = nullptr;
  std::unordered_map<Value, Array, ValueHash> values;
  uint64_t tag = 0;                  // StepContext::tag
  int depth = 0;                     // enclosing calls
  const FlowPlace* place = nullptr;  // its place; null: outside of loops and
                                     // calls

  // Null if it has not been computed.
  const Array* Find(const Value& v) const {
    for (const ReferenceScope* s = this; s; s = s->outer) {
      auto it = s->values.find(v);
      if (it != s->values.end()) return &it->second;
    }
    return nullptr;
  }
  // REQUIRES: it has been computed.
  const Array& At(const Value& v) const {
    const Array* found = Find(v);
    SL_CHECK(found);
    return *found;
  }
};

}  // namespace sluice
