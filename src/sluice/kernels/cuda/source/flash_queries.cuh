// A block of fused attention that owns queries: their numbers, and the keys and
// values it iterates over.
#pragma once

#include "sluice/cuda/flash_tile.cuh"

namespace sluice {

// The queries of this block: their head, and the number of the first.
struct OwnQueries {
  int head, first;
  // Blocks with the most keys start first, so that none is left running alone
  // at the end.
  explicit OwnQueries(const FlashArgs& a) {
    int tile = int(blockIdx.x) / a.heads;
    head = int(blockIdx.x) - tile * a.heads;
    int tiles = (a.queries + kOwnRows - 1) / kOwnRows;
    first = (tiles - 1 - tile) * kOwnRows;
  }
  int KvHead(const FlashArgs& a) const { return head / (a.heads / a.kv_heads); }
  // The number of steps over the keys.
  int Steps(const FlashArgs& a) const {
    int keys = SL_CAUSAL ? min(a.keys, first + kOwnRows) : a.keys;
    return (keys + kStepRows - 1) / kStepRows;
  }
};

// Keys and values: those loaded, and those being loaded.
struct KeySteps {
  const FlashArgs& a;
  const T *k, *v;
  T* room;

  KeySteps(const FlashArgs& args, int kv_head, T* shared)
      : a(args),
        k(args.k.Head(kv_head, args.inner_kv_heads)),
        v(args.v.Head(kv_head, args.inner_kv_heads)),
        room(shared) {}
  T* Keys(int step) const { return room + step % 2 * 2 * kStepRows * kPitch; }
  T* Values(int step) const { return Keys(step) + kStepRows * kPitch; }
  void Start(int step) const {
    int first = step * kStepRows;
    StartRows<kStepRows>(Keys(step), k, a.k.row_step, first, a.keys, a.depth);
    StartRows<kStepRows>(Values(step), v, a.v.row_step, first, a.keys,
                         a.values);
  }
};

}  // namespace sluice
