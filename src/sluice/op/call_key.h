// The key of an op that is called by itself, in no graph: what its random
// numbers depend on in place of a node's.
#pragma once

#include "sluice/base/random.h"

namespace sluice {

inline uint64_t CallKey() { return RandomKey::Mix(0x5eed); }

}  // namespace sluice
