// ReferenceScope: the values of one activation of a region under the reference
// interpreter; what the region captures is found in the activations around it.
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
  int depth = 0;                     // calls around it
  const FlowPlace* place = nullptr;  // where it runs; null: in no loop or call

  // Null when it has not been computed.
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
