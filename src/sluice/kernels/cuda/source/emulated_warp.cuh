// Barriers, exchanges between lanes and atomics of the emulated GPU.
#pragma once

namespace sl_warp {

using sluice::emulated::Meeting;

inline unsigned Thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline int Lane() { return int(Thread() % 32); }

inline unsigned long long Meet(Meeting kind, unsigned mask,
                               unsigned long long value = 0, int source = 0) {
  return sl_host->meet(kind, mask, value, unsigned(source));
}

// The value of lane `source`; all lanes of the mask participate.
template <class T>
inline T From(unsigned mask, T value, int source) {
  static_assert(sizeof(T) <= 8);
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = Meet(Meeting::kShuffle, mask, bits, source);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace sl_warp

inline void __syncthreads() { sl_warp::Meet(sl_warp::Meeting::kBlock, ~0u); }
inline int __syncthreads_count(int predicate) {
  return int(sl_warp::Meet(sl_warp::Meeting::kBlock, ~0u, predicate != 0));
}
inline int __syncthreads_or(int predicate) {
  return __syncthreads_count(predicate) != 0;
}
inline int __syncthreads_and(int predicate) {
  return __syncthreads_count(predicate == 0) == 0;
}
inline void __syncwarp(unsigned mask = ~0u) {
  sl_warp::Meet(sl_warp::Meeting::kWarp, mask);
}

// Groups of `width` lanes; a source outside of the group means the lane itself.
template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  int first = sl_warp::Lane() & ~(width - 1);
  return sl_warp::From(mask, value, first + (source & (width - 1)));
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  int lane = sl_warp::Lane(), source = lane ^ lanes;
  // Lanes of earlier groups may be read, those of later groups may not.
  bool read = source < (lane & ~(width - 1)) + width;
  return sl_warp::From(mask, value, read ? source : lane);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  int lane = sl_warp::Lane(), source = lane - int(by);
  bool read = source >= (lane & ~(width - 1));
  return sl_warp::From(mask, value, read ? source : lane);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  int lane = sl_warp::Lane(), source = lane + int(by);
  bool read = source < (lane & ~(width - 1)) + width;
  return sl_warp::From(mask, value, read ? source : lane);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return unsigned(
      sl_warp::Meet(sl_warp::Meeting::kBallot, mask, predicate != 0));
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate == 0) == 0;
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
  unsigned same = 0;
  unsigned there = __ballot_sync(mask, 1);
  for (int lane = 0; lane < 32; ++lane) {
    if (!(there >> lane & 1)) continue;
    T other = sl_warp::From(mask, value, lane);
    if (other == value) same |= 1u << lane;
  }
  return same;
}
template <class T, class Combine>
inline T sl_reduce(unsigned mask, T value, Combine combine) {
  unsigned there = __ballot_sync(mask, 1);
  T all{};
  bool first = true;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(there >> lane & 1)) continue;
    T other = sl_warp::From(mask, value, lane);
    all = first ? other : combine(all, other);
    first = false;
  }
  return all;
}
#define SL_REDUCE(name, T, expression)                                  \
  inline T __reduce_##name##_sync(unsigned mask, T value) {             \
    return sl_reduce(mask, value, [](T a, T b) { return expression; }); \
  }
SL_REDUCE(add, unsigned, a + b)
SL_REDUCE(add, int, int(unsigned(a) + unsigned(b)))
SL_REDUCE(min, unsigned, a < b ? a : b)
SL_REDUCE(min, int, a < b ? a : b)
SL_REDUCE(max, unsigned, a > b ? a : b)
SL_REDUCE(max, int, a > b ? a : b)
SL_REDUCE(and, unsigned, a& b)
SL_REDUCE(or, unsigned, a | b)
SL_REDUCE(xor, unsigned, a ^ b)
#undef SL_REDUCE

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) { sl_host->pause(); }
inline void __trap() { sl_host->fail("__trap"); }

// Each returns the old value.
#define SL_ATOMIC(name, T, expression)                      \
  inline T name(T* at, T v) {                               \
    volatile T* place = at;                                 \
    T was = *place;                                         \
    *place = (T)(expression);                               \
    return was;                                             \
  }                                                         \
  inline T name##_block(T* at, T v) { return name(at, v); } \
  inline T name##_system(T* at, T v) { return name(at, v); }
#define SL_ATOMIC_32_64(name, expression) \
  SL_ATOMIC(name, int, expression)        \
  SL_ATOMIC(name, unsigned, expression)   \
  SL_ATOMIC(name, long long, expression)  \
  SL_ATOMIC(name, unsigned long long, expression)
SL_ATOMIC_32_64(atomicMin, v < was ? v : was)
SL_ATOMIC_32_64(atomicMax, v > was ? v : was)
SL_ATOMIC_32_64(atomicAnd, was& v)
SL_ATOMIC_32_64(atomicOr, was | v)
SL_ATOMIC_32_64(atomicXor, was ^ v)
// Sums wrap; there is no variant for long long.
SL_ATOMIC(atomicAdd, int, unsigned(was) + unsigned(v))
SL_ATOMIC(atomicAdd, unsigned, was + v)
SL_ATOMIC(atomicAdd, unsigned long long, was + v)
SL_ATOMIC(atomicAdd, float, was + v)
SL_ATOMIC(atomicAdd, double, was + v)
SL_ATOMIC(atomicSub, int, unsigned(was) - unsigned(v))
SL_ATOMIC(atomicSub, unsigned, was - v)
SL_ATOMIC(atomicExch, int, v)
SL_ATOMIC(atomicExch, unsigned, v)
SL_ATOMIC(atomicExch, unsigned long long, v)
SL_ATOMIC(atomicExch, float, v)
SL_ATOMIC(atomicInc, unsigned, was >= v ? 0 : was + 1)
SL_ATOMIC(atomicDec, unsigned, was == 0 || was > v ? v : was - 1)
#undef SL_ATOMIC_32_64
#undef SL_ATOMIC
#define SL_ATOMIC_CAS(T)                   \
  inline T atomicCAS(T* at, T want, T v) { \
    volatile T* place = at;                \
    T was = *place;                        \
    if (was == want) *place = v;           \
    return was;                            \
  }
SL_ATOMIC_CAS(int)
SL_ATOMIC_CAS(unsigned)
SL_ATOMIC_CAS(unsigned short)
SL_ATOMIC_CAS(unsigned long long)
#undef SL_ATOMIC_CAS

// Loads and stores with cache hints.
template <class T>
inline T __ldg(const T* at) {
  return *at;
}
template <class T>
inline T __ldcs(const T* at) {
  return *at;
}
template <class T>
inline T __ldcg(const T* at) {
  return *at;
}
template <class T>
inline T __ldca(const T* at) {
  return *at;
}
template <class T>
inline void __stcs(T* at, T v) {
  *at = v;
}
template <class T>
inline void __stcg(T* at, T v) {
  *at = v;
}
