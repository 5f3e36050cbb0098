// Reducers of plain arrays, as in the ops' files and kernels/cpu/variance.h for
// the CPU. C: the type of arithmetic.
#pragma once

#include <limits>

#include "sluice/cuda/formula.cuh"
#include "sluice/kernels/cpu/mul_add.h"
#include "sluice/kernels/cpu/vector_math.h"

namespace sluice::reducers {

template <class C>
struct SumOf {
  using Acc = C;
  static Acc Start() { return C(0); }
  static Acc Step(Acc acc, C x) { return Wrap<C>(ToWrap(acc) + ToWrap(x)); }
  static Acc Join(Acc a, Acc b) { return Step(a, b); }
  static C Finish(Acc acc, int64_t, BlockParams) { return acc; }
};
template <class C>
struct MeanOf : SumOf<C> {
  static C Finish(C acc, int64_t n, BlockParams) { return acc / C(n); }
};
template <class C>
struct ProdOf {
  using Acc = C;
  static Acc Start() { return C(1); }
  static Acc Step(Acc acc, C x) { return Wrap<C>(ToWrap(acc) * ToWrap(x)); }
  static Acc Join(Acc a, Acc b) { return Step(a, b); }
  static C Finish(Acc acc, int64_t, BlockParams) { return acc; }
};

template <class C>
inline C Lowest() {
  if constexpr (std::is_floating_point_v<C>) {
    return -std::numeric_limits<C>::infinity();
  } else {
    return std::numeric_limits<C>::lowest();
  }
}
template <class C>
inline C Highest() {
  if constexpr (std::is_floating_point_v<C>) {
    return std::numeric_limits<C>::infinity();
  } else {
    return std::numeric_limits<C>::max();
  }
}
template <class C>
struct MaxOf {
  using Acc = C;
  static Acc Start() { return Lowest<C>(); }
  static Acc Step(Acc acc, C x) { return x > acc || x != x ? x : acc; }
  static Acc Join(Acc a, Acc b) { return Step(a, b); }
  static C Finish(Acc acc, int64_t, BlockParams) { return acc; }
};
template <class C>
struct MinOf {
  using Acc = C;
  static Acc Start() { return Highest<C>(); }
  static Acc Step(Acc acc, C x) { return x < acc || x != x ? x : acc; }
  static Acc Join(Acc a, Acc b) { return Step(a, b); }
  static C Finish(Acc acc, int64_t, BlockParams) { return acc; }
};
template <class C>
struct AnyOf {
  using Acc = bool;
  static Acc Start() { return false; }
  static Acc Step(Acc acc, C x) { return acc || x; }
  static Acc Join(Acc a, Acc b) { return a || b; }
  static bool Finish(Acc acc, int64_t, BlockParams) { return acc; }
};
template <class C>
struct AllOf {
  using Acc = bool;
  static Acc Start() { return true; }
  static Acc Step(Acc acc, C x) { return acc && x; }
  static Acc Join(Acc a, Acc b) { return a && b; }
  static bool Finish(Acc acc, int64_t, BlockParams) { return acc; }
};
template <class C>
struct CountOf {
  using Acc = int64_t;
  static Acc Start() { return 0; }
  static Acc Step(Acc acc, C x) { return acc + (x != C(0)); }
  static Acc Join(Acc a, Acc b) { return a + b; }
  static int64_t Finish(Acc acc, int64_t, BlockParams) { return acc; }
};

// The largest element so far and the sum of exp(x - largest).
template <class C>
struct LogSumExpOf {
  struct Acc {
    C largest, sum;
  };
  static Acc Start() { return {Lowest<C>(), 0}; }
  static Acc Step(Acc a, C x) {
    // One of the two is exp(0); equal infinities have no difference.
    C gap = x > a.largest ? a.largest - x : x - a.largest;
    C e = vmath::Exp(x == a.largest ? C(0) : gap);
    C grown = a.sum * e + C(1), added = a.sum + e;
    return {x > a.largest ? x : a.largest, x > a.largest ? grown : added};
  }
  static Acc Join(Acc a, Acc b) {
    bool swap = b.largest > a.largest;
    C high = swap ? b.largest : a.largest, low = swap ? a.largest : b.largest;
    C e = vmath::Exp(low == high ? C(0) : low - high);
    C sum = swap ? b.sum + a.sum * e : a.sum + b.sum * e;
    return {high, sum};
  }
  static C Finish(Acc a, int64_t, BlockParams) {
    return a.largest + vmath::Log(a.sum);
  }
};

// Norms, by p.
template <class C>
struct Ones : SumOf<C> {
  static C Step(C acc, C x) { return acc + std::fabs(x); }
};
template <class C>
struct Twos {
  using Acc = double;
  static Acc Start() { return 0; }
  static Acc Step(Acc acc, C x) { return MulAdd(double(x), double(x), acc); }
  static Acc Join(Acc a, Acc b) { return a + b; }
  static double Finish(Acc acc, int64_t, BlockParams) { return std::sqrt(acc); }
};
template <class C>
struct Largest : MaxOf<C> {
  static C Start() { return 0; }
  static C Step(C acc, C x) { return MaxOf<C>::Step(acc, std::fabs(x)); }
};
template <class C>
struct Smallest : MinOf<C> {
  static C Step(C acc, C x) { return MinOf<C>::Step(acc, std::fabs(x)); }
};
// p[0] is p; for p = 0 the powers are 1, and 0 of 0.
template <class C>
struct Powers {
  using Acc = double;
  static Acc Start() { return 0; }
  static Acc Step(Acc acc, C x, BlockParams params) {
    C power = vmath::Pow(std::fabs(x), C(params.p[0]));
    return acc + double(x == 0 && params.p[0] == 0 ? C(0) : power);
  }
  static Acc Join(Acc a, Acc b) { return a + b; }
  static double Finish(Acc acc, int64_t, BlockParams params) {
    return params.p[0] == 0 ? acc : std::pow(acc, 1 / params.p[0]);
  }
};

// Variance: p[0] is the correction.
inline double Spread(double left, int64_t n, BlockParams params) {
  double over = double(n) - params.p[0];
  if (!(over > 0)) return std::numeric_limits<double>::quiet_NaN();
  return (left < 0 ? 0 : left) / over;  // comparisons keep NaN
}
template <class C>
struct VarOf {
  struct Acc {
    double s, q;
  };
  static Acc Start() { return {0, 0}; }
  static Acc Step(Acc a, C x) {
    return {a.s + double(x), MulAdd(double(x), double(x), a.q)};
  }
  static Acc Join(Acc a, Acc b) { return {a.s + b.s, a.q + b.q}; }
  static double Finish(Acc a, int64_t n, BlockParams params) {
    return Spread(a.q - a.s * a.s / double(n), n, params);
  }
};
// a + b, with the rounding error added to `low`.
inline void AddTo(double& a, double& low, double b) {
  double sum = a + b, back = sum - a;
  low += (a - (sum - back)) + (b - back);
  a = sum;
}
template <>
struct VarOf<double> {
  struct Acc {
    double s, s_low, q, q_low;
  };
  static Acc Start() { return {0, 0, 0, 0}; }
  static Acc Step(Acc a, double x) {
    double square = x * x;
    AddTo(a.s, a.s_low, x);
    AddTo(a.q, a.q_low, square);
    a.q_low += MulAdd(x, x, -square);
    return a;
  }
  static Acc Join(Acc a, Acc b) {
    AddTo(a.s, a.s_low, b.s);
    AddTo(a.q, a.q_low, b.q);
    a.s_low += b.s_low;
    a.q_low += b.q_low;
    return a;
  }
  static double Finish(Acc a, int64_t n, BlockParams params) {
    double count = double(n), square = a.s * a.s;
    // s^2 / n in two parts.
    double square_low = MulAdd(a.s, a.s, -square) + 2 * a.s * a.s_low;
    double part = square / count;
    double part_low = (MulAdd(-part, count, square) + square_low) / count;
    return Spread((a.q - part) + (a.q_low - part_low), n, params);
  }
};
template <class C>
struct StdOf : VarOf<C> {
  static double Finish(typename VarOf<C>::Acc a, int64_t n,
                       BlockParams params) {
    return std::sqrt(VarOf<C>::Finish(a, n, params));
  }
};

// The position of the best: the first of equal elements, and of NaNs.
template <class C, bool kLargest>
struct BestAt {
  struct Acc {
    C value;
    int64_t at;  // < 0: none so far
  };
  static Acc Start() { return {C(0), -1}; }
  static Acc StepAt(Acc a, C x, int64_t nth) { return Join(a, {x, nth}); }
  static Acc Join(Acc a, Acc b) {
    if (a.at < 0) return b;
    if (b.at < 0) return a;
    bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan != b_nan) return a_nan ? a : b;
    if (!a_nan && a.value != b.value) {
      return (kLargest ? b.value > a.value : b.value < a.value) ? b : a;
    }
    return b.at < a.at ? b : a;
  }
  static int64_t Finish(Acc a, int64_t, BlockParams) { return a.at; }
};
template <class C>
using ArgMax = BestAt<C, true>;
template <class C>
using ArgMin = BestAt<C, false>;

}  // namespace sluice::reducers
