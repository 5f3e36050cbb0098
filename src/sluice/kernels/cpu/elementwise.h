// Block functions of elementwise ops from one scalar formula:
//
//   struct AddFn {
//     template <class C>
//     static C Apply(C a, C b) { return Wrap<C>(ToWrap(a) + ToWrap(b)); }
//   };
//   ... .elementwise(binary_block<AddFn, NumberTypes>)
//
// The formula sees f16 and bf16 as float. Integers wrap: arithmetic that may
// overflow goes through ToWrap, because signed overflow is undefined. The
// result may lie over an operand of the same element size, so the loops promise
// the compiler only that element i depends on nothing but element i.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "sluice/op/block.h"
#include "sluice/tensor/dtype.h"

#if defined(__clang__)
#define SL_VECTORIZE _Pragma("clang loop vectorize(assume_safety)")
// Formulas that call the C library stay scalar, which is no news.
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define SL_VECTORIZE _Pragma("GCC ivdep")
#endif

// Everything the loop calls goes inline: one call left standing keeps the whole
// loop scalar.
#define SL_FLATTEN [[gnu::flatten]]

namespace sluice {

template <class... Ts>
struct Types {};
using FloatTypes = Types<float, double, f16, bf16>;
using RealTypes = Types<float, double, f16, bf16, int8_t, int16_t, int32_t,
                        int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
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

// The type arithmetic on T is done in.
template <class T>
struct ComputeOf {
  using type = T;
};
template <>
struct ComputeOf<f16> {
  using type = float;
};
template <>
struct ComputeOf<bf16> {
  using type = float;
};
template <class T>
using Compute = typename ComputeOf<T>::type;

// Integers as an unsigned type of at least int's width; the rest as they are.
template <class C>
auto ToWrap(C v) {
  if constexpr (std::is_integral_v<C> && sizeof(C) < 4) {
    return static_cast<uint32_t>(v);
  } else if constexpr (std::is_integral_v<C>) {
    return static_cast<std::make_unsigned_t<C>>(v);
  } else {
    return v;
  }
}
template <class C, class U>
C Wrap(U v) {
  return static_cast<C>(v);
}

// Textbook complex product: the library's repairs NaNs and is ten times slower.
inline complex64 ComplexMul(complex64 a, complex64 b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

namespace elementwise {

// Out is T for arithmetic, bool for comparisons.
template <class F, class T, class Out>
SL_FLATTEN void Unary(void* out, const void* const* in, int64_t n,
                      const BlockParams& params) {
  using C = Compute<T>;
  const T* x = static_cast<const T*>(in[0]);
  Out* y = static_cast<Out*>(out);
  if constexpr (requires { F::template Prepare<C>(params); }) {
    // What the formula makes of its parameters, once for all elements.
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

template <class F, class T, class Out>
SL_FLATTEN void Binary(void* out, const void* const* in, int64_t n,
                       const BlockParams&) {
  using C = Compute<T>;
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  Out* y = static_cast<Out*>(out);
  SL_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    y[i] =
        static_cast<Out>(F::Apply(static_cast<C>(a[i]), static_cast<C>(b[i])));
  }
}

template <class F, class... Ts>
BlockFn PickUnary(DType dtype, Types<Ts...>) {
  BlockFn fn = nullptr;
  ((DTypeOf<Ts>::value == dtype ? void(fn = &Unary<F, Ts, Ts>) : void()), ...);
  return fn;
}
template <class F, class... Ts>
BlockFn PickTest(DType dtype, Types<Ts...>) {
  BlockFn fn = nullptr;
  ((DTypeOf<Ts>::value == dtype ? void(fn = &Unary<F, Ts, bool>) : void()),
   ...);
  return fn;
}
template <class F, class... Ts>
BlockFn PickBinary(DType dtype, Types<Ts...>) {
  BlockFn fn = nullptr;
  ((DTypeOf<Ts>::value == dtype ? void(fn = &Binary<F, Ts, Ts>) : void()), ...);
  return fn;
}
template <class F, class... Ts>
BlockFn PickCompare(DType dtype, Types<Ts...>) {
  BlockFn fn = nullptr;
  ((DTypeOf<Ts>::value == dtype ? void(fn = &Binary<F, Ts, bool>) : void()),
   ...);
  return fn;
}

// A formula that is also a tile op says so: static constexpr TileOp kTile.
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
  return {elementwise::PickUnary<F>(in[0], List{}),
          {},
          elementwise::TileOf<F>(in[0])};
}
// y: bool from x: T.
template <class F, class List = FloatTypes>
BlockKernel test_block(const Attrs&, std::span<const DType> in, DType) {
  return {elementwise::PickTest<F>(in[0], List{}), {}};
}
// y: T from a, b: T.
template <class F, class List = RealTypes>
BlockKernel binary_block(const Attrs&, std::span<const DType> in, DType) {
  return {elementwise::PickBinary<F>(in[0], List{}),
          {},
          elementwise::TileOf<F>(in[0])};
}
// y: bool from a, b: T.
template <class F, class List = RealTypes>
BlockKernel compare_block(const Attrs&, std::span<const DType> in, DType) {
  return {elementwise::PickCompare<F>(in[0], List{}), {}};
}

}  // namespace sluice
