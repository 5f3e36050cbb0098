// Sorting and selecting along an axis: numbers by size, NaN above them all,
// equal elements in their order. T: the elements' type; SL_KEEP_ZEROS: whether
// -0 comes before +0.
//
// An item is an element's key and its position, so that no two are equal. A
// block sorts a tile in shared memory; longer rows are merged from tiles. If
// only the first few are requested, each tile passes that many to the next
// round.
#pragma once

#include "sluice/cuda/elementwise.cuh"
#include "sluice/kernels/cpu/sort_key.h"

namespace sluice {

constexpr int kTile = 2048;  // as in kernels/cuda/sort.cc

using Key = typename SortKey<T>::Key;

// Key and position in one number, if they fit.
struct ShortItem {
  uint64_t bits;
  static ShortItem Of(uint64_t key, uint32_t place) {
    return {key << 32 | place};
  }
  static ShortItem Last() { return {~uint64_t(0)}; }
  uint64_t key() const { return bits >> 32; }
  uint32_t place() const { return uint32_t(bits); }
  bool operator<(const ShortItem& o) const { return bits < o.bits; }
};
struct LongItem {
  uint64_t bits, at;
  static LongItem Of(uint64_t key, uint32_t place) { return {key, place}; }
  static LongItem Last() { return {~uint64_t(0), ~uint64_t(0)}; }
  uint64_t key() const { return bits; }
  uint32_t place() const { return uint32_t(at); }
  bool operator<(const LongItem& o) const {
    return bits != o.bits ? bits < o.bits : at < o.at;
  }
};
using Item = std::conditional_t<sizeof(T) <= 4, ShortItem, LongItem>;

struct SortArgs {
  const T* x;
  const Item* from;  // null: the elements of x
  Item* to;          // null: values and index are written
  T* values;
  int64_t* index;
  int64_t rows, size, inner;  // of x
  int64_t n;                  // items of a row in this round
  int64_t tiles, width;       // of a row; items of a tile, a power of two
  int64_t keep;               // the number of a tile's items that are passed on
  int64_t k;                  // results of a row
  int64_t run;                // of a merge: length of the sorted runs
  int64_t descending;

  int64_t Place(int64_t row, int64_t i, int64_t count) const {
    int64_t outer = row / inner;
    return (outer * count + i) * inner + (row - outer * inner);
  }
  Key Flip() const { return descending ? Key(~Key(0)) : Key(0); }
  Item Load(int64_t row, int64_t i) const {
    if (i >= n) return Item::Last();
    if (from) return from[row * n + i];
    Key key = SortKey<T>::template Of<SL_KEEP_ZEROS>(x[Place(row, i, size)]);
    return Item::Of(Key(key ^ Flip()), uint32_t(i));
  }
  void Write(int64_t row, int64_t i, Item item) const {
    int64_t at = Place(row, i, k);
    if (index) index[at] = item.place();
    if (!values) return;
    if (SL_KEEP_ZEROS) {
      values[at] = SortKey<T>::From(Key(item.key() ^ Flip()));
    } else {
      values[at] = x[Place(row, item.place(), size)];
    }
  }
};

struct alignas(16) TileRoom {
  char bytes[sizeof(Item) * kTile];
};

// Sorts each group of `width` items of a tile separately.
inline void SortTile(Item* items, int width) {
  for (int k = 2; k <= width; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      for (int t = threadIdx.x; t < kTile / 2; t += blockDim.x) {
        int i = 2 * t - (t & (j - 1)), other = i + j;
        bool up = (i & (width - 1) & k) == 0;
        Item a = items[i], b = items[other];
        if ((b < a) == up) {
          items[i] = b;
          items[other] = a;
        }
      }
      __syncthreads();
    }
  }
}

SL_GLOBAL(sort_tiles, SortArgs, a) {
  __shared__ TileRoom room;
  Item* items = reinterpret_cast<Item*>(room.bytes);
  int width = int(a.width), beside = kTile / width;
  int64_t groups = (a.rows * a.tiles + beside - 1) / beside;
  for (int64_t g = blockIdx.x; g < groups; g += gridDim.x) {
    for (int i = threadIdx.x; i < kTile; i += blockDim.x) {
      int64_t t = g * beside + i / width, row = t / a.tiles;
      int64_t first = (t - row * a.tiles) * width;
      items[i] = row < a.rows ? a.Load(row, first + i % width) : Item::Last();
    }
    __syncthreads();
    SortTile(items, width);
    for (int i = threadIdx.x; i < kTile; i += blockDim.x) {
      int64_t t = g * beside + i / width, row = t / a.tiles;
      int place = i % width;
      if (row >= a.rows) continue;
      if (a.to) {
        if (place < a.keep) a.to[t * a.keep + place] = items[i];
      } else if (place < a.k) {
        a.Write(row, place, items[i]);
      }
    }
    __syncthreads();
  }
}

// Merges pairs of runs: every item searches for its position.
SL_GLOBAL(merge_runs, SortArgs, a) {
  for (int64_t t = FirstThread(); t < a.rows * a.n; t += AllThreads()) {
    int64_t row = t / a.n, i = t - row * a.n;
    const Item* items = a.from + row * a.n;
    Item item = items[i];
    int64_t pair = i / (2 * a.run) * (2 * a.run);
    bool first = i < pair + a.run;
    // The other run: the number of its items before this one.
    int64_t begin = first ? std::min(pair + a.run, a.n) : pair;
    int64_t end = first ? std::min(pair + 2 * a.run, a.n) : pair + a.run;
    int64_t low = begin, high = end;
    while (low < high) {
      int64_t middle = (low + high) / 2;
      if (items[middle] < item) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    int64_t own = i - (first ? pair : pair + a.run);
    a.to[row * a.n + pair + own + (low - begin)] = item;
  }
}

SL_GLOBAL(write_sorted, SortArgs, a) {
  for (int64_t t = FirstThread(); t < a.rows * a.k; t += AllThreads()) {
    int64_t row = t / a.k, i = t - row * a.k;
    a.Write(row, i, a.from[row * a.n + i]);
  }
}

}  // namespace sluice
