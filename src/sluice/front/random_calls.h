// How many random ops have been called imperatively since the seed was set: the
// place in the stream the next one draws from.
#pragma once

#include <cstdint>

namespace sluice {

int64_t RandomCalls();
// Returns what it was.
int64_t SetRandomCalls(int64_t calls);

}  // namespace sluice
