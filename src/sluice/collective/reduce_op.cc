#include "sluice/collective/reduce_op.h"

#include <array>
#include <complex>

#include "sluice/base/strings.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::collective {

namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "sum", "avg", "product", "min", "max", "band", "bor", "bxor"};

// Half-precision types are added in float and rounded at every hop.
template <class T>
struct Wide {
  using Type = T;
};
template <>
struct Wide<f16> {
  using Type = float;
};
template <>
struct Wide<bf16> {
  using Type = float;
};

// Integers wrap around, as elsewhere; signed ones are added as unsigned.
struct Sum {
  template <class C>
  static C Apply(C a, C b) {
    if constexpr (std::is_integral_v<C>) {
      return static_cast<C>(static_cast<uint64_t>(a) +
                            static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }
};
struct Product {
  template <class C>
  static C Apply(C a, C b) {
    if constexpr (std::is_integral_v<C>) {
      return static_cast<C>(static_cast<uint64_t>(a) *
                            static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};
struct Min {
  template <class C>
  static C Apply(C a, C b) {
    return a < b || a != a ? a : b;
  }
};
struct Max {
  template <class C>
  static C Apply(C a, C b) {
    return a > b || a != a ? a : b;
  }
};
struct Band {
  template <class C>
  static C Apply(C a, C b) {
    return static_cast<C>(a & b);
  }
};
struct Bor {
  template <class C>
  static C Apply(C a, C b) {
    return static_cast<C>(a | b);
  }
};
struct Bxor {
  template <class C>
  static C Apply(C a, C b) {
    return static_cast<C>(a ^ b);
  }
};

template <class T, class F>
void Combine(void* into, const void* a, const void* b, int64_t n) {
  using C = typename Wide<T>::Type;
  auto* out = static_cast<T*>(into);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  for (int64_t i = 0; i < n; ++i) {
    out[i] = static_cast<T>(
        F::template Apply<C>(static_cast<C>(x[i]), static_cast<C>(y[i])));
  }
}

template <class F>
CombineFn OfReals(DType dtype) {
  CombineFn fn = nullptr;
  (void)DispatchReals(dtype, [&]<class T>() { fn = &Combine<T, F>; });
  return fn;
}

template <class F>
CombineFn OfBits(DType dtype) {
  CombineFn fn = nullptr;
  if (dtype == DType::kBool) return &Combine<bool, F>;
  if (!IsInteger(dtype)) return nullptr;
  (void)DispatchReals(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) fn = &Combine<T, F>;
  });
  return fn;
}

CombineFn Find(ReduceOp op, DType dtype) {
  switch (op) {
    case ReduceOp::kSum:
      if (dtype == DType::kC64) return &Combine<complex64, Sum>;
      return OfReals<Sum>(dtype);
    case ReduceOp::kAvg:
      if (dtype == DType::kC64) return &Combine<complex64, Sum>;
      return IsFloating(dtype) ? OfReals<Sum>(dtype) : nullptr;
    case ReduceOp::kProduct:
      if (dtype == DType::kC64) return &Combine<complex64, Product>;
      return OfReals<Product>(dtype);
    case ReduceOp::kMin:
      return OfReals<Min>(dtype);
    case ReduceOp::kMax:
      return OfReals<Max>(dtype);
    case ReduceOp::kBand:
      return OfBits<Band>(dtype);
    case ReduceOp::kBor:
      return OfBits<Bor>(dtype);
    case ReduceOp::kBxor:
      return OfBits<Bxor>(dtype);
  }
  return nullptr;
}

}  // namespace

std::string_view ReduceName(ReduceOp op) {
  return kNames[static_cast<size_t>(op)];
}

Result<ReduceOp> ReduceFromName(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<ReduceOp>(i);
  }
  return InvalidArgument(StrCat("there is no reduction \"", name,
                                "\"; wanted one of ", Join(kNames, ", ")));
}

Result<CombineFn> CombinerFor(ReduceOp op, DType dtype) {
  if (CombineFn fn = Find(op, dtype)) return fn;
  return InvalidArgument(StrCat("elements of type ", DTypeName(dtype),
                                " have no ", ReduceName(op), "; wanted ",
                                op >= ReduceOp::kBand ? "whole numbers or bool"
                                : op == ReduceOp::kAvg
                                    ? "floating-point or complex numbers"
                                : op >= ReduceOp::kMin ? "real numbers"
                                                       : "numbers"));
}

void DivideBy(int64_t ranks, DType dtype, void* x, int64_t n) {
  if (dtype == DType::kC64) {
    auto* p = static_cast<complex64*>(x);
    for (int64_t i = 0; i < n; ++i) p[i] /= static_cast<float>(ranks);
    return;
  }
  (void)DispatchFloats(dtype, [&]<class T>() {
    using C = typename Wide<T>::Type;
    auto* p = static_cast<T*>(x);
    const C by = static_cast<C>(ranks);
    for (int64_t i = 0; i < n; ++i) {
      p[i] = static_cast<T>(static_cast<C>(p[i]) / by);
    }
  });
}

}  // namespace sluice::collective
