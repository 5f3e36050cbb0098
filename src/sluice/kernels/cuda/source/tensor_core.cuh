// Tensor cores, a warp at a time: loading operands from GPU memory to shared
// memory and registers, and multiplying them. T: f16 or bf16.
//
// A fragment is 16 x 16 elements spread over the lanes of a warp. A product has
// 16 x 8 sums: with g = lane / 4 and t = lane % 4, a lane has rows g and g + 8
// of them, columns 2t and 2t + 1.
#pragma once

#include "sluice/cuda/elementwise.cuh"

#if defined(SL_EMULATED)
#include "sluice/cuda/emulated_tensor_core.cuh"
#endif

namespace sluice {

struct Fragment {
  uint32_t r[4];  // two elements each
};
typedef float Sums[4];  // rows g, g, g + 8, g + 8

#if !defined(SL_EMULATED)

inline uint32_t SharedAddress(const void* p) {
  return uint32_t(__cvta_generic_to_shared(p));
}
// Loads four 8 x 8 matrices: lane l gives the address of row l % 8 of matrix l
// / 8. Each lane gets a pair of row g; `turned`: of column g.
template <bool turned>
inline void LoadMatrices(uint32_t (&r)[4], const void* row) {
  if constexpr (turned) {
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
        : "r"(SharedAddress(row))
        : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(SharedAddress(row))
                 : "memory");
  }
}
template <class T>
inline void MultiplyAdd16x8(Sums& c, const uint32_t (&a)[4], uint32_t b0,
                            uint32_t b1) {
#define SL_MMA(type)                                               \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type       \
      ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])             \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))
  if constexpr (std::is_same_v<T, bf16>) {
    SL_MMA("bf16");
  } else {
    SL_MMA("f16");
  }
#undef SL_MMA
}
// Packed as in a register, the first in its lower half.
template <class T>
inline uint32_t PairOfHalves(float first, float second) {
  uint32_t pair;
  if constexpr (std::is_same_v<T, bf16>) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  }
  return pair;
}
// 2^x to a few ulp: the results are rounded to half types.
inline float FastExp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// An asynchronous copy of kBytes to shared memory; zeros if there is no source,
// which may then point anywhere. Both are aligned to kBytes.
template <int kBytes>
inline void StartCopy(void* to, const void* from, bool there) {
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     SharedAddress(to)),
                 "l"(from), "r"(there ? 16 : 0)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                     SharedAddress(to)),
                 "l"(from), "n"(kBytes), "r"(there ? kBytes : 0)
                 : "memory");
  }
}
// Waits for all copies that this thread has started; those of others need a
// barrier.
inline void WaitForCopies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

#endif

// The left operand, or rows of it, from memory with rows `pitch` elements
// apart.
template <class T>
inline Fragment LoadLeft(const T* at, int pitch) {
  Fragment f;
  int lane = threadIdx.x % 32;
  LoadMatrices<false>(f.r, at + lane % 16 * pitch + lane / 16 * 8);
  return f;
}
// Two adjacent right operands that are transposed in memory: a row there is a
// column of the operand.
template <class T>
inline Fragment LoadRightTurned(const T* at, int pitch) {
  Fragment f;
  int lane = threadIdx.x % 32;
  LoadMatrices<false>(
      f.r, at + (lane % 8 + lane / 16 * 8) * pitch + lane / 8 % 2 * 8);
  return f;
}
// The same for an operand that is not transposed in memory.
template <class T>
inline Fragment LoadRight(const T* at, int pitch) {
  Fragment f;
  int lane = threadIdx.x % 32;
  LoadMatrices<true>(f.r, at + lane % 16 * pitch + lane / 16 * 8);
  return f;
}
// c += a b, for both right operands of a fragment.
template <class T>
inline void MultiplyAdd(Sums& c0, Sums& c1, const Fragment& a,
                        const Fragment& b) {
  MultiplyAdd16x8<T>(c0, a.r, b.r[0], b.r[1]);
  MultiplyAdd16x8<T>(c1, a.r, b.r[2], b.r[3]);
}
// The sums of two adjacent products as the left operand of the next: every lane
// keeps its elements.
template <class T>
inline Fragment LeftOf(const Sums& c0, const Sums& c1) {
  return {{PairOfHalves<T>(c0[0], c0[1]), PairOfHalves<T>(c0[2], c0[3]),
           PairOfHalves<T>(c1[0], c1[1]), PairOfHalves<T>(c1[2], c1[3])}};
}

}  // namespace sluice
