// RandomState: a position in a stream of random numbers. All random ops draw
// from such a stream; continuing from the same position yields the same
// numbers. A plain value.
#pragma once

#include <cstdint>

namespace sluice {

struct RandomState {
  uint64_t seed = 0;
  int64_t calls = 0;  // calls or steps that drew since the seed was set
  bool operator==(const RandomState&) const = default;
};

}  // namespace sluice
