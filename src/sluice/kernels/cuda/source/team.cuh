// Teams: threads that share one slice of an array, a row or a column. The
// threads of a team process the slice side by side and combine their results in
// an order that depends only on sizes.
//
//   LaneTeam     some lanes of a warp; neighbours have the next slices
//   BlockTeam    a whole block
//   ColumnTeam   threads of a block above one another: neighbours have the next
//                columns, so that memory is read in runs
//
// All threads of a block call All and Slices the same number of times.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

constexpr int kWarp = 32;
constexpr int kTeamThreads = 256;  // per block, for every kernel with teams

// Elements of a slice that a thread holds in registers.
#if !defined(SL_HELD)
#define SL_HELD 1
#endif
constexpr int kHeld = SL_HELD;

// A value of any type as words, which warps exchange.
template <class A>
union WordsOf {
  static constexpr int kWords = (sizeof(A) + 3) / 4;
  A value;
  uint32_t words[kWords];
  WordsOf() : words{} {}
};
template <class A, class F>
inline A Exchange(A a, F exchange) {
  WordsOf<A> bits;
  bits.value = a;
  for (int k = 0; k < WordsOf<A>::kWords; ++k) {
    bits.words[k] = exchange(bits.words[k]);
  }
  return bits.value;
}
// The value of the lane whose number differs by `mask`; that is `by` less; that
// is `lane`.
template <class A>
inline A ShuffleXor(A a, int mask) {
  return Exchange(
      a, [=](uint32_t w) { return __shfl_xor_sync(0xffffffffu, w, mask); });
}
template <class A>
inline A ShuffleUp(A a, int by) {
  return Exchange(
      a, [=](uint32_t w) { return __shfl_up_sync(0xffffffffu, w, by); });
}
template <class A>
inline A ShuffleFrom(A a, int lane) {
  return Exchange(
      a, [=](uint32_t w) { return __shfl_sync(0xffffffffu, w, lane); });
}

// Storage for values of a type with a constructor, which __shared__ cannot
// call.
template <class A>
struct alignas(16) SharedRoom {
  char bytes[sizeof(A) * kTeamThreads];
  A* at() { return reinterpret_cast<A*>(bytes); }
};

// The same, by words: first words of all threads come first, so that adjacent
// threads have no bank conflicts, however large the values are.
template <class A>
struct SharedWords {
  uint32_t words[WordsOf<A>::kWords][kTeamThreads];
  void Put(int thread, const A& a) {
    WordsOf<A> bits;
    bits.value = a;
    for (int k = 0; k < WordsOf<A>::kWords; ++k) {
      words[k][thread] = bits.words[k];
    }
  }
  A Get(int thread) const {
    WordsOf<A> bits;
    for (int k = 0; k < WordsOf<A>::kWords; ++k) {
      bits.words[k] = words[k][thread];
    }
    return bits.value;
  }
};

// As in kernels/cuda/slice_plan.h.
struct Slices {
  int64_t outer, size, inner;
  int64_t lanes;  // of a LaneTeam; adjacent columns of a ColumnTeam
  int64_t count() const { return outer * inner; }
};

// One slice: its start in memory, the stride of its elements, and their number,
// which is 0 if the team only takes part in combining.
struct Slice {
  int64_t number, base, stride, n;
  bool live;
};

struct LaneTeam {
  int lanes, lane;
  int64_t next;  // of this team
  explicit LaneTeam(const Slices& s)
      : lanes(int(s.lanes)),
        lane(threadIdx.x & (lanes - 1)),
        next(FirstThread() / lanes) {}
  // Whether some team of the warp has work; the next slice of this one.
  bool Next(const Slices& s, Slice* slice) {
    int64_t first = next - (threadIdx.x & (kWarp - 1)) / lanes;
    if (first >= s.count()) return false;
    bool live = next < s.count();
    *slice = {next, live ? next * s.size : 0, 1, live ? s.size : 0, live};
    next += AllThreads() / lanes;
    return true;
  }
  template <class A, class F>
  A All(A a, F join) const {
    for (int m = lanes / 2; m > 0; m /= 2) a = join(a, ShuffleXor(a, m));
    return a;
  }
};

struct BlockTeam {
  int lanes, lane;
  int64_t next;
  explicit BlockTeam(const Slices&)
      : lanes(blockDim.x), lane(threadIdx.x), next(blockIdx.x) {}
  bool Next(const Slices& s, Slice* slice) {
    if (next >= s.count()) return false;
    *slice = {next, next * s.size, 1, s.size, true};
    next += gridDim.x;
    return true;
  }
  template <class A, class F>
  A All(A a, F join) const {
    __shared__ SharedRoom<A> room;
    A* shared = room.at();
    for (int m = kWarp / 2; m > 0; m /= 2) a = join(a, ShuffleXor(a, m));
    __syncthreads();  // an earlier call no longer uses the storage
    if (lane % kWarp == 0) shared[lane / kWarp] = a;
    __syncthreads();
    A all = shared[0];
    for (int w = 1; w < lanes / kWarp; ++w) all = join(all, shared[w]);
    return all;
  }
};

struct ColumnTeam {
  int across, lanes, lane, column;
  int64_t next;  // of strips
  explicit ColumnTeam(const Slices& s)
      : across(int(s.lanes)),
        lanes(blockDim.x / across),
        lane(threadIdx.x / across),
        column(threadIdx.x % across),
        next(blockIdx.x) {}
  bool Next(const Slices& s, Slice* slice) {
    int64_t strips = (s.inner + across - 1) / across;
    if (next >= s.outer * strips) return false;
    int64_t outer = next / strips;
    int64_t i = (next - outer * strips) * across + column;
    bool live = i < s.inner;
    *slice = {outer * s.inner + i, live ? outer * s.size * s.inner + i : 0,
              s.inner, live ? s.size : 0, live};
    next += gridDim.x;
    return true;
  }
  template <class A, class F>
  A All(A a, F join) const {
    __shared__ SharedWords<A> room;
    __syncthreads();  // an earlier call no longer uses the storage
    // The upper half of the remaining lanes passes its values to the lower
    // half.
    for (int m = lanes / 2; m > 0; m /= 2) {
      if (lane >= m && lane < 2 * m) room.Put(threadIdx.x, a);
      __syncthreads();
      if (lane < m) a = join(a, room.Get(threadIdx.x + m * across));
    }
    if (lane == 0) room.Put(column, a);
    __syncthreads();
    return room.Get(column);
  }
};

// A thread's elements of a slice, read once if they are few.
template <class T, int kHeld>
struct Elements {
  using C = Compute<T>;
  const T* p;
  int64_t n, stride;
  int lane, lanes;
  bool fits;
  C held[kHeld];

  template <class Team>
  Elements(const T* array, const Slice& s, const Team& team)
      : p(array + s.base),
        n(s.n),
        stride(s.stride),
        lane(team.lane),
        lanes(team.lanes),
        fits(s.n <= int64_t(kHeld) * team.lanes) {
    if (!fits) return;
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
      int i = lane + k * lanes;
      if (i < n) held[k] = Widen(p[i * stride]);
    }
  }
  // Calls f(value, i) for each. Changes made by f persist if elements are held;
  // otherwise the elements are read again.
  template <class F>
  void Each(F f) {
    if (fits) {
#pragma unroll
      for (int k = 0; k < kHeld; ++k) {
        int i = lane + k * lanes;
        if (i < n) f(held[k], int64_t(i));
      }
      return;
    }
    for (int64_t i = lane; i < n; i += lanes) {
      C v = Widen(p[i * stride]);
      f(v, i);
    }
  }
};

// Elements of two arrays at the same positions.
template <class T, int kHeld>
struct ElementPairs {
  using C = Compute<T>;
  Elements<T, kHeld> a;
  const T* q;
  C other[kHeld];

  template <class Team>
  ElementPairs(const T* first, const T* second, const Slice& s,
               const Team& team)
      : a(first, s, team), q(second + s.base) {
    if (!a.fits) return;
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
      int i = a.lane + k * a.lanes;
      if (i < a.n) other[k] = Widen(q[i * a.stride]);
    }
  }
  // Calls f(first, second, i) for each.
  template <class F>
  void Each(F f) const {
    if (a.fits) {
#pragma unroll
      for (int k = 0; k < kHeld; ++k) {
        int i = a.lane + k * a.lanes;
        if (i < a.n) f(a.held[k], other[k], int64_t(i));
      }
      return;
    }
    for (int64_t i = a.lane; i < a.n; i += a.lanes) {
      f(Widen(a.p[i * a.stride]), Widen(q[i * a.stride]), i);
    }
  }
};

struct Plus {
  template <class A>
  A operator()(A a, A b) const {
    return a + b;
  }
};
// Two sums at once.
template <class A>
struct PairOf {
  A a, b;
};
struct PlusPair {
  template <class A>
  PairOf<A> operator()(PairOf<A> x, PairOf<A> y) const {
    return {x.a + y.a, x.b + y.b};
  }
};

}  // namespace sluice

// A kernel over slices: SL_TEAM is one of the teams, and body(args, team,
// slice) is called for every slice. Args begins with `Slices s`.
#define SL_SLICE_KERNEL(name, Args, body)                \
  SL_GLOBAL_OF(512, name, Args, a) {                     \
    SL_TEAM team(a.s);                                   \
    Slice slice;                                         \
    while (team.Next(a.s, &slice)) body(a, team, slice); \
  }
