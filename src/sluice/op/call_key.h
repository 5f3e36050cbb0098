// The key of an op called outside any graph: its random numbers depend on it as
// those of a node depend on the node's key.
#pragma once

#include "sluice/base/random.h"

namespace sluice {

inline uint64_t CallKey() { return RandomKey::Mix(0x5eed); }

}  // namespace sluice
