// Helpers shared by the tests of checkpoints.
#pragma once

#include <cmath>

#include "sluice/base/temp_folder_test_util.h"
#include "sluice/front/front_test_util.h"
#include "sluice/io/checkpoint.h"

namespace sluice::io {

// A snapshot that differs everywhere for another value.
inline Snapshot ExampleSnapshot(float value) {
  Snapshot s;
  int64_t whole = std::isfinite(value) ? static_cast<int64_t>(value) : -1;
  s.random = {18446744073709551615u, whole};
  s.data = "{\"epoch\": " + std::to_string(value) + "}";
  s.extra = Json::object({{"rate", value}, {"names", Json::array({"a"})}});
  s.metrics = {{"loss", value}};
  s.set("model",
        {{"w", full({3, 5}, value).clone()}, {"n", constant(whole).clone()}});
  s.set("optimizer", {{"m", full({3, 5}, -value).clone()}});
  return s;
}

inline bool SameSnapshot(const Snapshot& a, const Snapshot& b) {
  if (!(a.random == b.random) || a.data != b.data || !(a.extra == b.extra) ||
      a.metrics != b.metrics || a.sections().size() != b.sections().size()) {
    return false;
  }
  for (const auto& [section, state] : a.sections()) {
    const StateDict* other = b.find(section);
    if (!other || other->size() != state.size()) return false;
    for (const auto& [name, tensor] : state) {
      const Tensor* t = other->find(name);
      if (!t || !t->array().BitEquals(tensor.array())) return false;
    }
  }
  return true;
}

}  // namespace sluice::io
