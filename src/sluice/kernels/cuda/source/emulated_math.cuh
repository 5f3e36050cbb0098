// Math of the emulated GPU: CUDA's functions by those of the C library, its
// intrinsics by plain arithmetic, and its vector types.
#pragma once

#define SL_MATH_1(name)              \
  extern "C" float name##f(float x); \
  extern "C" double name(double x);  \
  inline float name(float x) { return name##f(x); }
#define SL_MATH_2(name)                       \
  extern "C" float name##f(float x, float y); \
  extern "C" double name(double x, double y); \
  inline float name(float x, float y) { return name##f(x, y); }
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
SL_MATH_1(logb)
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
SL_MATH_2(fdim)
SL_MATH_2(fmax)
SL_MATH_2(fmin)
SL_MATH_2(fmod)
SL_MATH_2(hypot)
SL_MATH_2(nextafter)
SL_MATH_2(pow)
SL_MATH_2(remainder)
#undef SL_MATH_1
#undef SL_MATH_2
extern "C" float fmaf(float x, float y, float z);
extern "C" double fma(double x, double y, double z);
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
extern "C" float ldexpf(float x, int by);
extern "C" double ldexp(double x, int by);
extern "C" float frexpf(float x, int* exponent);
extern "C" double frexp(double x, int* exponent);
inline float ldexp(float x, int by) { return ldexpf(x, by); }
extern "C" void sincosf(float x, float* sine, float* cosine);
extern "C" void sincos(double x, double* sine, double* cosine);
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }

#define SL_MIN_MAX(T)                              \
  inline T min(T a, T b) { return b < a ? b : a; } \
  inline T max(T a, T b) { return a < b ? b : a; }
SL_MIN_MAX(int)
SL_MIN_MAX(unsigned)
SL_MIN_MAX(long)
SL_MIN_MAX(unsigned long)
SL_MIN_MAX(long long)
SL_MIN_MAX(unsigned long long)
#undef SL_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline int abs(int x) { return x < 0 ? -x : x; }
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }

#define SL_BITS(name, To, From) \
  inline To name(From v) { return __builtin_bit_cast(To, v); }
SL_BITS(__int_as_float, float, int)
SL_BITS(__uint_as_float, float, unsigned)
SL_BITS(__float_as_int, int, float)
SL_BITS(__float_as_uint, unsigned, float)
SL_BITS(__longlong_as_double, double, long long)
SL_BITS(__double_as_longlong, long long, double)
#undef SL_BITS
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)high << 32 | unsigned(low));
}

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) {
  return x ? __builtin_clzll((unsigned long long)x) : 64;
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; ++i) y |= (x >> i & 1u) << (31 - i);
  return y;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return unsigned((unsigned long long)a * b >> 32);
}
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a,
                                     unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned choice) {
  unsigned long long both = (unsigned long long)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned byte = unsigned(both >> (choice >> 4 * i & 7) * 8) & 0xff;
    if (choice >> 4 * i & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  unsigned long long both = (unsigned long long)high << 32 | low;
  return unsigned(both << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  unsigned long long both = (unsigned long long)high << 32 | low;
  return unsigned(both >> (by & 31));
}

// Rounded to nearest, like all arithmetic here.
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
// Fast and less accurate on a real GPU.
inline float __expf(float x) { return expf(x); }
inline float __exp2f(float x) { return exp2f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }

// Out-of-range numbers become the nearest limit, NaN becomes 0, as on a GPU.
template <class To, class From>
inline To sl_to_whole(From x, From low, From high) {
  if (!(x == x)) return 0;
  if (x < low) return To(low);
  if (x >= high) return To(~(To(1) << (sizeof(To) * 8 - 1)));
  return To(x);
}
inline int __float2int_rn(float x) {
  return sl_to_whole<int>(rintf(x), -0x1p31f, 0x1p31f);
}
inline int __float2int_rz(float x) {
  return sl_to_whole<int>(truncf(x), -0x1p31f, 0x1p31f);
}
inline int __float2int_rd(float x) {
  return sl_to_whole<int>(floorf(x), -0x1p31f, 0x1p31f);
}
inline long long __double2ll_rz(double x) {
  return sl_to_whole<long long>(trunc(x), -0x1p63, 0x1p63);
}
inline long long __double2ll_rn(double x) {
  return sl_to_whole<long long>(rint(x), -0x1p63, 0x1p63);
}

// float2, float4, make_float4, ...
#define SL_VECTOR(T, name, bytes)                                            \
  struct alignas(2 * bytes) name##2 { T x, y; };                             \
  struct name##3 { T x, y, z; };                                             \
  struct alignas(4 * bytes > 16 ? 16 : 4 * bytes) name##4 { T x, y, z, w; }; \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }                 \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }         \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SL_VECTOR(signed char, char, 1)
SL_VECTOR(unsigned char, uchar, 1)
SL_VECTOR(short, short, 2)
SL_VECTOR(unsigned short, ushort, 2)
SL_VECTOR(int, int, 4)
SL_VECTOR(unsigned, uint, 4)
SL_VECTOR(float, float, 4)
SL_VECTOR(long long, longlong, 8)
SL_VECTOR(unsigned long long, ulonglong, 8)
SL_VECTOR(double, double, 8)
#undef SL_VECTOR
