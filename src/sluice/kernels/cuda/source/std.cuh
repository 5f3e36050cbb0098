// The parts of the standard library that formulas and kernels use, for a
// compiler without one. Replaces <array>, <bit>, <cmath>, <complex>, <cstdint>,
// <limits> and <type_traits>.
#pragma once

// A kernel takes one struct, which it does not change. First it waits for
// earlier launches, if it was launched before their end (LaunchCudaRaw), and
// lets the next launch start up to the same point.
#if !defined(SL_GLOBAL)
inline __device__ void BeginKernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
#define SL_GLOBAL_WITH(bounds, name, Args, args)                              \
  static __device__ __forceinline__ void sl_body_##name(const Args& args);    \
  extern "C" __global__ void bounds name(const __grid_constant__ Args args) { \
    BeginKernel();                                                            \
    sl_body_##name(args);                                                     \
  }                                                                           \
  static __device__ __forceinline__ void sl_body_##name(const Args& args)
#define SL_GLOBAL(name, Args, args) SL_GLOBAL_WITH(, name, Args, args)
// A kernel with a maximum number of threads per block, which bounds the
// registers of each thread.
#define SL_GLOBAL_OF(threads, name, Args, args) \
  SL_GLOBAL_WITH(__launch_bounds__(threads), name, Args, args)
// The same, with a number of blocks that must fit on a multiprocessor at once:
// it tells the compiler how many registers it may use.
#define SL_GLOBAL_BESIDE(blocks, threads, name, Args, args) \
  SL_GLOBAL_WITH(__launch_bounds__(threads, blocks), name, Args, args)
#endif

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long size_t;

#define __builtin_fmaf(a, b, c) __fmaf_rn(a, b, c)
#define __builtin_fma(a, b, c) __fma_rn(a, b, c)
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000))
#define HUGE_VALF (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fc00000))
#define INFINITY HUGE_VALF

namespace std {

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;

template <bool kFirst, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool kFirst, class A, class B>
using conditional_t = typename conditional<kFirst, A, B>::type;

template <class T>
inline constexpr bool is_floating_point_v =
    is_same_v<T, float> || is_same_v<T, double>;
template <class T>
inline constexpr bool is_unsigned_v =
    is_same_v<T, unsigned char> || is_same_v<T, unsigned short> ||
    is_same_v<T, unsigned int> || is_same_v<T, unsigned long> ||
    is_same_v<T, unsigned long long> || is_same_v<T, bool>;
template <class T>
inline constexpr bool is_integral_v =
    is_unsigned_v<T> || is_same_v<T, signed char> || is_same_v<T, char> ||
    is_same_v<T, short> || is_same_v<T, int> || is_same_v<T, long> ||
    is_same_v<T, long long>;
template <class T>
inline constexpr bool is_signed_v = !is_unsigned_v<T>;
template <class T>
inline constexpr bool is_arithmetic_v =
    is_integral_v<T> || is_floating_point_v<T>;

template <class T>
struct make_unsigned {
  using type =
      conditional_t<sizeof(T) == 1, unsigned char,
                    conditional_t<sizeof(T) == 2, unsigned short,
                                  conditional_t<sizeof(T) == 4, unsigned int,
                                                unsigned long long>>>;
};
template <class T>
using make_unsigned_t = typename make_unsigned<T>::type;

template <class To, class From>
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

template <class T>
struct numeric_limits {
  static constexpr bool is_signed = is_signed_v<T>;
  static constexpr int digits = int(sizeof(T)) * 8 - (is_signed_v<T> ? 1 : 0);
  static constexpr T min() {
    if constexpr (is_signed_v<T>) {
      return T(make_unsigned_t<T>(1) << digits);
    } else {
      return T(0);
    }
  }
  static constexpr T max() {
    if constexpr (is_same_v<T, bool>) {
      return true;
    } else {
      return T(make_unsigned_t<T>(~make_unsigned_t<T>(min())));
    }
  }
  static constexpr T lowest() { return min(); }
};
template <>
struct numeric_limits<float> {
  static constexpr bool is_signed = true;
  static constexpr int digits = 24;
  static constexpr float min() { return 1.17549435e-38f; }
  static constexpr float max() { return 3.40282347e+38f; }
  static constexpr float lowest() { return -max(); }
  static constexpr float epsilon() { return 1.1920929e-07f; }
  static constexpr float infinity() { return bit_cast<float>(0x7f800000u); }
  static constexpr float quiet_NaN() { return bit_cast<float>(0x7fc00000u); }
};
template <>
struct numeric_limits<double> {
  static constexpr bool is_signed = true;
  static constexpr int digits = 53;
  static constexpr double min() { return 2.2250738585072014e-308; }
  static constexpr double max() { return 1.7976931348623157e+308; }
  static constexpr double lowest() { return -max(); }
  static constexpr double epsilon() { return 2.220446049250313e-16; }
  static constexpr double infinity() {
    return bit_cast<double>(0x7ff0000000000000ull);
  }
  static constexpr double quiet_NaN() {
    return bit_cast<double>(0x7ff8000000000000ull);
  }
};

#define SL_MATH_1(name)                               \
  inline float name(float x) { return ::name##f(x); } \
  inline double name(double x) { return ::name(x); }
#define SL_MATH_2(name)                                           \
  inline float name(float x, float y) { return ::name##f(x, y); } \
  inline double name(double x, double y) { return ::name(x, y); }
SL_MATH_1(acos)
SL_MATH_1(acosh)
SL_MATH_1(asin)
SL_MATH_1(asinh)
SL_MATH_1(atan)
SL_MATH_1(atanh)
SL_MATH_1(cbrt)
SL_MATH_1(ceil)
SL_MATH_1(cos)
SL_MATH_1(cosh)
SL_MATH_1(erf)
SL_MATH_1(erfc)
SL_MATH_1(exp)
SL_MATH_1(exp2)
SL_MATH_1(expm1)
SL_MATH_1(fabs)
SL_MATH_1(floor)
SL_MATH_1(lgamma)
SL_MATH_1(log)
SL_MATH_1(log10)
SL_MATH_1(log1p)
SL_MATH_1(log2)
SL_MATH_1(nearbyint)
SL_MATH_1(rint)
SL_MATH_1(round)
SL_MATH_1(sin)
SL_MATH_1(sinh)
SL_MATH_1(sqrt)
SL_MATH_1(tan)
SL_MATH_1(tanh)
SL_MATH_1(tgamma)
SL_MATH_1(trunc)
SL_MATH_2(atan2)
SL_MATH_2(copysign)
SL_MATH_2(fmax)
SL_MATH_2(fmin)
SL_MATH_2(fmod)
SL_MATH_2(hypot)
SL_MATH_2(nextafter)
SL_MATH_2(pow)
#undef SL_MATH_1
#undef SL_MATH_2
inline float nextafterf(float x, float y) { return ::nextafterf(x, y); }
inline float abs(float x) { return ::fabsf(x); }
inline double abs(double x) { return ::fabs(x); }
inline bool signbit(float x) { return bit_cast<uint32_t>(x) >> 31; }
inline bool signbit(double x) { return bit_cast<uint64_t>(x) >> 63; }
template <class T>
inline bool isnan(T x) {
  return x != x;
}
template <class T>
inline bool isfinite(T x) {
  return x - x == 0;
}
template <class T>
inline bool isinf(T x) {
  return x == x && x - x != 0;
}
template <class T>
inline T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
inline T max(T a, T b) {
  return a < b ? b : a;
}

template <class T, size_t n>
struct array {
  T elements[n];
  constexpr T& operator[](size_t i) { return elements[i]; }
  constexpr const T& operator[](size_t i) const { return elements[i]; }
};

template <class T>
class complex {
 public:
  complex() = default;
  constexpr complex(T re, T im = T()) : re_(re), im_(im) {}
  constexpr T real() const { return re_; }
  constexpr T imag() const { return im_; }
  friend constexpr complex operator+(complex a, complex b) {
    return {a.re_ + b.re_, a.im_ + b.im_};
  }
  friend constexpr complex operator-(complex a, complex b) {
    return {a.re_ - b.re_, a.im_ - b.im_};
  }
  friend constexpr complex operator-(complex a) { return {-a.re_, -a.im_}; }
  friend constexpr complex operator*(complex a, complex b) {
    return {a.re_ * b.re_ - a.im_ * b.im_, a.re_ * b.im_ + a.im_ * b.re_};
  }
  friend constexpr bool operator==(complex a, complex b) {
    return a.re_ == b.re_ && a.im_ == b.im_;
  }
  friend constexpr bool operator!=(complex a, complex b) { return !(a == b); }

 private:
  T re_, im_;
};

}  // namespace std
