// Fills an array. T: an unsigned integer of the elements' size.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

struct FillArgs {
  void* to;
  const void* from;  // the address of the value; null: it is `value`
  int64_t n;
  int64_t packs;  // of 16 bytes; the rest follows
  uint64_t value;
};

SL_GLOBAL(fill, FillArgs, a) {
  constexpr int kPack = 16 / int(sizeof(T));
  T v = a.from ? *static_cast<const T*>(a.from) : T(a.value);
  T* to = static_cast<T*>(a.to);
  Pack<T, kPack> pack;
  for (int k = 0; k < kPack; ++k) pack.v[k] = v;
  for (int64_t i = FirstThread(); i < a.packs; i += AllThreads()) {
    reinterpret_cast<Pack<T, kPack>*>(to)[i] = pack;
  }
  for (int64_t i = a.packs * kPack + FirstThread(); i < a.n;
       i += AllThreads()) {
    to[i] = v;
  }
}

}  // namespace sluice
