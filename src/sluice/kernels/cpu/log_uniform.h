// The log-uniform distribution over classes 0 .. range - 1, where class c has
// the probability log((c + 2) / (c + 1)) / log(range + 1): about that of words
// sorted by how often they are used. Draws from it, and how often a class is
// expected among them. The same bits on every machine.
#pragma once

#include <cstdint>

#include "sluice/base/random.h"

namespace sluice {

// REQUIRES: 0 <= c < range.
double LogUniformProbability(int64_t c, int64_t range);

// How often a class of probability p is expected among n draws; with `unique`,
// how likely it is to be there at all.
double ExpectedCount(double p, int64_t n, bool unique);

// Fills `to` with `count` draws of the keyed stream; with `unique`, draws that
// are there already are left out. Returns how many draws it took.
// `table` is room for UniqueTableSize(count) numbers, not read otherwise.
// REQUIRES: range >= 1; with unique, count <= range.
int64_t DrawLogUniform(const RandomKey& key, int64_t range, int64_t count,
                       bool unique, int64_t* to, int64_t* table);
int64_t UniqueTableSize(int64_t count);

}  // namespace sluice
