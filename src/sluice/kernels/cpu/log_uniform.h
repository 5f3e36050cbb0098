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

// What to draw: `count` of `range` classes; with `unique`, those that were
// drawn already do not count. REQUIRES: range >= 1; with unique, count <=
// range.
struct LogUniformDraws {
  int64_t range = 1, count = 0;
  bool unique = false;

  // Bytes of scratch space Draw needs.
  int64_t ScratchBytes() const;
  // Fills `to` from the keyed stream. Returns how long it took, for Expected.
  double Draw(const RandomKey& key, int64_t* to, void* scratch) const;
  // How often a class was to be expected among draws that took so long; with
  // unique, how likely it was to be there at all.
  double Expected(int64_t c, double took) const;

 private:
  bool ByClocks() const;
};

}  // namespace sluice
