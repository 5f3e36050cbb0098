// The log-uniform distribution over classes 0 .. range - 1, where class c has
// the probability log((c + 2) / (c + 1)) / log(range + 1): about that of words
// sorted by frequency. Draws from it, and the expected count of a class among
// them. The same bits on every machine. Plain values; any thread.
#pragma once

#include <cstdint>

#include "sluice/base/random.h"

namespace sluice {

// REQUIRES: 0 <= c < range.
double LogUniformProbability(int64_t c, int64_t range);

// Draws `count` of `range` classes; with `unique`, repeated classes do not
// count. REQUIRES: range >= 1; with unique, count <= range.
struct LogUniformDraws {
  int64_t range = 1, count = 0;
  bool unique = false;

  // Workspace bytes of Draw.
  int64_t ScratchBytes() const;
  // Fills `to` from the keyed stream. Returns the number of tries, for
  // Expected.
  double Draw(const RandomKey& key, int64_t* to, void* scratch) const;
  // The expected count of a class among draws that took this many tries; with
  // unique, the probability that it occurs.
  double Expected(int64_t c, double took) const;

 private:
  bool ByClocks() const;
};

}  // namespace sluice
