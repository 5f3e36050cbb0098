// Selects elements in two passes over fixed chunks: the first counts the
// selected elements of each chunk, then each chunk writes its own. Results are
// in order and do not depend on the number of threads. Plain functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sluice/base/worker_pool.h"

namespace sluice {

inline constexpr int64_t kCompactChunk = 1 << 15;

// The offsets of the chunks' results: offsets[c], and the total at the end.
// count(begin, end) returns the number of selected elements in [begin, end).
template <class Count>
std::vector<int64_t> CompactOffsets(WorkerPool* pool, int64_t n,
                                    Count&& count) {
  int64_t chunks = (n + kCompactChunk - 1) / kCompactChunk;
  std::vector<int64_t> offsets(static_cast<size_t>(chunks) + 1, 0);
  ParallelFor(pool, chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      offsets[static_cast<size_t>(c) + 1] =
          count(c * kCompactChunk, std::min(n, (c + 1) * kCompactChunk));
    }
  });
  for (size_t c = 1; c < offsets.size(); ++c) offsets[c] += offsets[c - 1];
  return offsets;
}

// Calls write(begin, end, offset) for every chunk.
template <class Write>
void CompactWrite(WorkerPool* pool, int64_t n,
                  const std::vector<int64_t>& offsets, Write&& write) {
  int64_t chunks = (n + kCompactChunk - 1) / kCompactChunk;
  ParallelFor(pool, chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      write(c * kCompactChunk, std::min(n, (c + 1) * kCompactChunk),
            offsets[static_cast<size_t>(c)]);
    }
  });
}

}  // namespace sluice
