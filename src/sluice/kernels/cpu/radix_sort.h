// Stable radix sort of items by some of their bits, least significant digit
// first; digits in which all items agree are skipped. Short lists are sorted by
// comparison instead, with the same result. Plain functions; any thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "sluice/base/worker_pool.h"

namespace sluice {

// A 64-bit key and its original position.
struct KeyAt {
  uint64_t key, at;
  bool operator<(const KeyAt& o) const {
    return key != o.key ? key < o.key : at < o.at;
  }
};

namespace radix {

inline uint64_t Bits(const KeyAt& item) { return item.key; }
template <class U>
uint64_t Bits(U item) {
  return item;
}

// Below this many items a comparison sort is faster.
inline constexpr int64_t kFewItems = 96;
// From here on several threads sort.
inline constexpr int64_t kManyItems = 1 << 16;
inline constexpr int kChunks = 8;

// Sorts items[0..n) by bits [low, low + count) with `other` as scratch; returns
// the location of the result, which is one of the two.
template <int kDigit, class Item>
Item* SortDigits(Item* items, Item* other, int64_t n, int low, int count) {
  constexpr int64_t kBuckets = int64_t{1} << kDigit;
  constexpr int kMostPasses = (64 + kDigit - 1) / kDigit;
  constexpr uint64_t kMask = kBuckets - 1;
  int passes = (count + kDigit - 1) / kDigit;
  // All histograms in one pass; an int32 is enough, as rows of more than 2^31
  // items take the other path.
  uint32_t counts[kMostPasses][kBuckets];
  for (int p = 0; p < passes; ++p) {
    std::memset(counts[p], 0, sizeof counts[p]);
  }
  for (int64_t i = 0; i < n; ++i) {
    uint64_t bits = Bits(items[i]) >> low;
    for (int p = 0; p < passes; ++p) ++counts[p][bits >> (p * kDigit) & kMask];
  }
  for (int p = 0; p < passes; ++p) {
    uint32_t* count = counts[p];
    int shift = low + p * kDigit;
    if (count[Bits(items[0]) >> shift & kMask] == static_cast<uint32_t>(n)) {
      continue;
    }
    uint32_t place = 0;
    for (int64_t b = 0; b < kBuckets; ++b) {
      uint32_t here = count[b];
      count[b] = place;
      place += here;
    }
    for (int64_t i = 0; i < n; ++i) {
      other[count[Bits(items[i]) >> shift & kMask]++] = items[i];
    }
    std::swap(items, other);
  }
  return items;
}

// The same on several threads: each chunk of items is counted, assigned its
// positions and moved independently.
template <class Item>
Item* SortChunks(Item* items, Item* other, int64_t n, int low, int count,
                 WorkerPool* pool, uint64_t* counts) {
  constexpr int kDigit = 11;
  constexpr int64_t kBuckets = int64_t{1} << kDigit;
  constexpr uint64_t kMask = kBuckets - 1;
  int64_t chunk = (n + kChunks - 1) / kChunks;
  // Only digits in which items differ are processed.
  uint64_t differ[kChunks] = {}, first = Bits(items[0]);
  ParallelFor(pool, kChunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      uint64_t any = 0;
      for (int64_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) {
        any |= Bits(items[i]) ^ first;
      }
      differ[c] = any;
    }
  });
  uint64_t varying = 0;
  for (uint64_t d : differ) varying |= d;
  if (count < 64) varying &= ((uint64_t{1} << count) - 1) << low;
  for (int shift = low; shift < 64 && varying >> shift != 0; shift += kDigit) {
    shift += std::countr_zero(varying >> shift);
    ParallelFor(pool, kChunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        uint64_t* mine = counts + c * kBuckets;
        std::fill_n(mine, kBuckets, 0);
        for (int64_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) {
          ++mine[Bits(items[i]) >> shift & kMask];
        }
      }
    });
    uint64_t place = 0;
    for (int64_t b = 0; b < kBuckets; ++b) {
      for (int64_t c = 0; c < kChunks; ++c) {
        uint64_t here = counts[c * kBuckets + b];
        counts[c * kBuckets + b] = place;
        place += here;
      }
    }
    ParallelFor(pool, kChunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        uint64_t* mine = counts + c * kBuckets;
        for (int64_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) {
          other[mine[Bits(items[i]) >> shift & kMask]++] = items[i];
        }
      }
    });
    std::swap(items, other);
  }
  return items;
}

inline constexpr int64_t kCountBytes = kChunks * (int64_t{1} << 11) * 8;

}  // namespace radix

// Sorts items[0..n) by bits [low, low + count), keeping the order of equal
// ones; items must already be sorted by the bits below. `counts` is scratch of
// radix::kCountBytes, or null: then everything runs on this thread. Returns the
// location of the result: `items` or `other`.
template <class Item>
[[gnu::noinline]] Item* RadixSort(Item* items, Item* other, int64_t n, int low,
                                  int count, WorkerPool* pool = nullptr,
                                  uint64_t* counts = nullptr) {
  if (n <= radix::kFewItems) {
    std::sort(items, items + n);
    return items;
  }
  if ((counts && n >= radix::kManyItems) || n > INT32_MAX) {
    return radix::SortChunks(items, other, n, low, count, pool, counts);
  }
  return n < 2048 || count <= 16
             ? radix::SortDigits<8>(items, other, n, low, count)
             : radix::SortDigits<11>(items, other, n, low, count);
}

}  // namespace sluice
