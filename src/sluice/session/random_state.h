// RandomState: a place in a stream of random numbers. Everything random draws
// from one; who continues from the same place draws the same numbers. A plain
// value.
#pragma once

#include <cstdint>

namespace sluice {

struct RandomState {
  uint64_t seed = 0;
  int64_t calls = 0;  // what has drawn since the seed was set: calls or steps
  bool operator==(const RandomState&) const = default;
};

}  // namespace sluice
