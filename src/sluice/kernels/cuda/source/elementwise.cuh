// Loops of elementwise kernels, inserted after the formula. The generated
// source defines F, the formula; Out, In0, In1, In2, the types; and SL_INPUTS,
// the number of inputs (kernels/cuda/elementwise.cc).
#pragma once

#include "sluice/cuda/formula.cuh"

namespace sluice {

constexpr int kMaxInputs = 3;
constexpr int kMaxWalkRank = 8;

// Filled in by kernels/cuda/elementwise.cc.
struct ElementwiseArgs {
  void* out;
  const void* in[kMaxInputs];
  int64_t n;
  BlockParams params;
  // For an input that is a host number: `in` is null then.
  uint64_t number[kMaxInputs];
  // flat: 1, or 0 for a single number.
  int32_t step[kMaxInputs];
  int32_t packed;  // flat: all operands may be read in packs
  // strided: sizes, innermost first, and the strides of each operand.
  int32_t rank;
  int64_t size[kMaxWalkRank];
  int64_t stride[kMaxInputs][kMaxWalkRank];
};

template <class T>
inline Compute<T> Widen(T v) {
  return static_cast<Compute<T>>(v);
}
template <class T, class V>
inline T Narrow(V v) {
  if constexpr (std::is_same_v<T, V>) {
    return v;
  } else {
    return static_cast<T>(v);
  }
}

// A half-precision number from its bits.
template <class H>
inline H FromBits(uint16_t bits) {
  H half;
  half.bits = bits;
  return half;
}

// Apply, with the formula's parameters if it has any.
template <class F, class C, class... Vs>
inline auto ApplyFormula(const BlockParams& params, Vs... v) {
  if constexpr (requires { F::template Prepare<C>(params); }) {
    return F::Apply(v..., F::template Prepare<C>(params));
  } else {
    return F::Apply(v...);
  }
}

template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Pack {
  T v[kCount];
};

// One operand of a flat loop: contiguous elements, or one repeated element.
template <class T>
struct FlatInput {
  const T* p;
  int64_t step;
  T number;  // if p is null
  T At(int64_t i) const { return p ? p[i * step] : number; }
  template <int kCount>
  Pack<T, kCount> PackAt(int64_t i) const {
    if (step) return reinterpret_cast<const Pack<T, kCount>*>(p)[i];
    Pack<T, kCount> pack;
    for (int k = 0; k < kCount; ++k) pack.v[k] = At(0);
    return pack;
  }
};

// kCount elements of a strided operand along its innermost axis: contiguous, or
// one repeated element.
template <int kCount, class T>
inline Pack<T, kCount> RunAt(const T* p, int64_t step) {
  if (step) return *reinterpret_cast<const Pack<T, kCount>*>(p);
  Pack<T, kCount> pack;
  for (int k = 0; k < kCount; ++k) pack.v[k] = *p;
  return pack;
}

template <class T>
inline FlatInput<T> FlatOf(const ElementwiseArgs& a, int i) {
  return {static_cast<const T*>(a.in[i]), a.step[i],
          *reinterpret_cast<const T*>(&a.number[i])};
}

// The offset of each operand's element in a strided loop.
template <class Index, int kInputs>
struct Walk {
  Index at[kInputs];
  Walk(const ElementwiseArgs& a, Index i) {
    for (int k = 0; k < kInputs; ++k) at[k] = 0;
    for (int axis = 0; axis < a.rank; ++axis) {
      Index size = Index(a.size[axis]);
      Index rest = i / size, index = i - rest * size;
      for (int k = 0; k < kInputs; ++k) {
        at[k] += index * Index(a.stride[k][axis]);
      }
      i = rest;
    }
  }
};

inline int64_t FirstThread() {
  return int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}
inline int64_t AllThreads() { return int64_t(gridDim.x) * blockDim.x; }

}  // namespace sluice
