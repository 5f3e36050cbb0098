// Generates block functions of elementwise ops from one scalar formula:
//
//   struct AddFn {
//     template <class C>
//     static C Apply(C a, C b) { return Wrap<C>(ToWrap(a) + ToWrap(b)); }
//   };
//   ... .elementwise(binary_block<AddFn, NumberTypes>)
//
// The loops are compiled for every level of kernels/cpu/isa.h; the one for this
// machine is chosen when the block function is requested. Stateless; any
// thread.
//
// The formula sees f16 and bf16 as float. Integers wrap: arithmetic that may
// overflow goes through ToWrap, because signed overflow is undefined. The
// result may overlap an operand of the same element size, so the loops promise
// the compiler only that element i depends on no other element.
//
// Long formulas derive from LongFormula (kernels/cpu/long_formula.h).
#pragma once

#include <cstdint>
#include <type_traits>

#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/formula/arithmetic.h"
#include "sluice/op/block.h"
#include "sluice/tensor/dtype.h"

#define SL_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define SL_VECTORIZE SL_PRAGMA(clang loop vectorize(assume_safety))
// Vectorizes by n vectors at a time: for loops limited by latency.
#define SL_VECTORIZE_BY(n) \
  SL_PRAGMA(clang loop vectorize(assume_safety) interleave_count(n))
#else
#define SL_VECTORIZE _Pragma("GCC ivdep")
#define SL_VECTORIZE_BY(n) _Pragma("GCC ivdep")
#endif

namespace sluice {

template <class... Ts>
struct Types {};
using FloatTypes = Types<float, double, f16, bf16>;
using RealTypes = Types<float, double, f16, bf16, int8_t, int16_t, int32_t,
                        int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
using IntTypes = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                       uint32_t, uint64_t>;
using SignedTypes =
    Types<float, double, f16, bf16, int8_t, int16_t, int32_t, int64_t>;
using NumberTypes =
    Types<float, double, f16, bf16, int8_t, int16_t, int32_t, int64_t, uint8_t,
          uint16_t, uint32_t, uint64_t, complex64>;
using SignedNumberTypes = Types<float, double, f16, bf16, int8_t, int16_t,
                                int32_t, int64_t, complex64>;
using PlainTypes =
    Types<float, double, f16, bf16, int8_t, int16_t, int32_t, int64_t, uint8_t,
          uint16_t, uint32_t, uint64_t, complex64, bool>;
using BoolTypes = Types<bool>;
inline constexpr DTypeSet kSignedReals = kFloats | kSignedInts;

// Loop::Run for this machine, as a block function.
template <class Loop>
BlockFn PickLevel() {
  return isa::Pick<Loop, void*, const void* const*, int64_t,
                   const BlockParams&>();
}

namespace elementwise {

// Out is T for arithmetic, bool for comparisons.
template <class F, class T, class Out>
struct Unary {
  using C = Compute<T>;
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams& params) {
    const T* x = static_cast<const T*>(in[0]);
    Out* y = static_cast<Out*>(out);
    if constexpr (requires { F::template Prepare<C>(params); }) {
      // The values the formula derives from its parameters, once for all
      // elements.
      const auto p = F::template Prepare<C>(params);
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        y[i] = static_cast<Out>(F::Apply(static_cast<C>(x[i]), p));
      }
    } else {
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        y[i] = static_cast<Out>(F::Apply(static_cast<C>(x[i])));
      }
    }
  }
};

template <class F, class T, class Out>
struct Binary {
  using C = Compute<T>;
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams& params) {
    const T* a = static_cast<const T*>(in[0]);
    const T* b = static_cast<const T*>(in[1]);
    Out* y = static_cast<Out*>(out);
    if constexpr (requires { F::template Prepare<C>(params); }) {
      const auto p = F::template Prepare<C>(params);
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        y[i] = static_cast<Out>(
            F::Apply(static_cast<C>(a[i]), static_cast<C>(b[i]), p));
      }
    } else {
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        y[i] = static_cast<Out>(
            F::Apply(static_cast<C>(a[i]), static_cast<C>(b[i])));
      }
    }
  }
};

template <class F, class T, class Out>
struct Ternary {
  using C = Compute<T>;
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams&) {
    const T* a = static_cast<const T*>(in[0]);
    const T* b = static_cast<const T*>(in[1]);
    const T* c = static_cast<const T*>(in[2]);
    Out* y = static_cast<Out*>(out);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      y[i] = static_cast<Out>(F::Apply(
          static_cast<C>(a[i]), static_cast<C>(b[i]), static_cast<C>(c[i])));
    }
  }
};

// kBool: the result is bool for any operand type.
template <template <class, class, class> class Loop, class F, bool kBool,
          class... Ts>
BlockFn Pick(DType dtype, Types<Ts...>) {
  BlockFn fn = nullptr;
  ((DTypeOf<Ts>::value == dtype
        ? void(
              fn =
                  PickLevel<Loop<F, Ts, std::conditional_t<kBool, bool, Ts>>>())
        : void()),
   ...);
  return fn;
}

// A formula that is also a tile op declares: static constexpr TileOp kTile.
template <class F>
TileOp TileOf(DType dtype) {
  if constexpr (requires { F::kTile; }) {
    if (dtype == DType::kF32) return F::kTile;
  }
  return TileOp::kNone;
}

}  // namespace elementwise

// y: T from x: T.
template <class F, class List = FloatTypes>
BlockKernel unary_block(const Attrs&, std::span<const DType> in, DType) {
  return {elementwise::Pick<elementwise::Unary, F, false>(in[0], List{}),
          {},
          elementwise::TileOf<F>(in[0]),
          FormulaName<F>()};
}
// y: bool from x: T.
template <class F, class List = FloatTypes>
BlockKernel test_block(const Attrs&, std::span<const DType> in, DType) {
  return {elementwise::Pick<elementwise::Unary, F, true>(in[0], List{}),
          {},
          TileOp::kNone,
          FormulaName<F>()};
}
// y: T from a, b: T.
template <class F, class List = RealTypes>
BlockKernel binary_block(const Attrs&, std::span<const DType> in, DType) {
  return {elementwise::Pick<elementwise::Binary, F, false>(in[0], List{}),
          {},
          elementwise::TileOf<F>(in[0]),
          FormulaName<F>()};
}
// y: bool from a, b: T.
template <class F, class List = RealTypes>
BlockKernel compare_block(const Attrs&, std::span<const DType> in, DType) {
  return {elementwise::Pick<elementwise::Binary, F, true>(in[0], List{}),
          {},
          TileOp::kNone,
          FormulaName<F>()};
}

// y: T from a, b, c: T.
template <class F, class List = FloatTypes>
BlockKernel ternary_block(const Attrs&, std::span<const DType> in, DType) {
  return {elementwise::Pick<elementwise::Ternary, F, false>(in[0], List{}),
          {},
          TileOp::kNone,
          FormulaName<F>()};
}

}  // namespace sluice
