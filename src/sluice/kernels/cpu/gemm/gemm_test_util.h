// Test matrices of every GemmType whose products and sums are exact, so that
// kernels can be compared bit by bit with a triple loop.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "sluice/kernels/cpu/gemm/gemm.h"
#include "sluice/tensor/half.h"

namespace sluice::gemm_test {

inline constexpr GemmType kTypes[] = {
    GemmType::kF32, GemmType::kF64, GemmType::kF16, GemmType::kBF16,
    GemmType::kI32, GemmType::kI64, GemmType::kS8,  GemmType::kU8S8};

inline const char* Name(GemmType type) {
  constexpr const char* kNames[] = {"f32", "f64", "f16", "bf16",
                                    "i32", "i64", "s8",  "u8s8"};
  return kNames[static_cast<int>(type)];
}

struct Shape3 {
  int64_t m, n, k;
};

// One product: operands, the expected result, and C inside a guarded array.
class Case {
 public:
  Case(GemmType type, Shape3 s, bool ta, bool tb)
      : type_(type), s_(s), ta_(ta), tb_(tb) {
    lda_ = (ta ? s.m : s.k) + 3, ldb_ = (tb ? s.k : s.n) + 1;
    ldc_ = s.n + 2;
    switch (type) {
      case GemmType::kF32:
        Fill<float, float, double, float>();
        break;
      case GemmType::kF64:
        Fill<double, double, double, double>();
        break;
      case GemmType::kF16:
        Fill<f16, f16, double, f16>();
        break;
      case GemmType::kBF16:
        Fill<bf16, bf16, double, bf16>();
        break;
      case GemmType::kI32:
        Fill<int32_t, int32_t, uint64_t, uint32_t>();
        break;
      case GemmType::kI64:
        Fill<int64_t, int64_t, uint64_t, uint64_t>();
        break;
      case GemmType::kS8:
        Fill<int8_t, int8_t, uint64_t, uint32_t>();
        break;
      case GemmType::kU8S8:
        Fill<uint8_t, int8_t, uint64_t, uint32_t>();
        break;
    }
  }

  GemmArgs args() {
    c_ = clean_;
    return {.m = s_.m,
            .n = s_.n,
            .k = s_.k,
            .a = {a_.data(), lda_, ta_},
            .b = {b_.data(), ldb_, tb_},
            .c = c_.data() + ldc_ * out_bytes_,
            .ldc = ldc_};
  }
  // Checks C and that everything around it is unchanged.
  void Check(const std::string& what) const {
    ASSERT_EQ(c_.size(), want_.size());
    if (std::memcmp(c_.data(), want_.data(), c_.size()) == 0) return;
    for (size_t i = 0; i < c_.size(); ++i) {
      if (c_[i] == want_[i]) continue;
      int64_t e = static_cast<int64_t>(i) / out_bytes_;
      FAIL() << what << " " << Name(type_) << " m=" << s_.m << " n=" << s_.n
             << " k=" << s_.k << " ta=" << ta_ << " tb=" << tb_ << ": row "
             << e / ldc_ - 1 << " column " << e % ldc_ << " differs";
    }
  }
  const std::vector<char>& c() const { return c_; }

 private:
  // Small integers for floats, any value for integers.
  template <class T>
  static T Number(uint32_t bits) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(bits) * 0x9e3779b97f4a7c15u >>
                            7);
    } else {
      return static_cast<T>(static_cast<float>(bits >> 8 & 7) - 3);
    }
  }
  template <class T>
  static std::vector<T> Numbers(int64_t n, uint32_t x) {
    std::vector<T> v(static_cast<size_t>(n));
    for (T& e : v) e = Number<T>(x = x * 1664525u + 1013904223u);
    return v;
  }
  template <class T>
  static std::vector<char> Bytes(const std::vector<T>& v) {
    std::vector<char> bytes(v.size() * sizeof(T) + 1);
    if (!v.empty()) {
      std::memcpy(bytes.data(), v.data(), v.size() * sizeof(T));
    }
    return bytes;
  }

  template <class A, class B, class Sum, class Out>
  void Fill() {
    auto a = Numbers<A>(lda_ * (ta_ ? s_.k : s_.m), 1);
    auto b = Numbers<B>(ldb_ * (tb_ ? s_.n : s_.k), 2);
    std::vector<Out> c(static_cast<size_t>(ldc_ * (s_.m + 2)));
    std::memset(static_cast<void*>(c.data()), 0x55, c.size() * sizeof(Out));
    out_bytes_ = sizeof(Out);
    clean_ = Bytes(c);
    for (int64_t i = 0; i < s_.m; ++i) {
      for (int64_t j = 0; j < s_.n; ++j) {
        Sum sum = 0;
        for (int64_t p = 0; p < s_.k; ++p) {
          auto x = a[static_cast<size_t>(ta_ ? p * lda_ + i : i * lda_ + p)];
          auto y = b[static_cast<size_t>(tb_ ? j * ldb_ + p : p * ldb_ + j)];
          sum =
              static_cast<Sum>(sum + static_cast<Sum>(x) * static_cast<Sum>(y));
        }
        if constexpr (std::is_integral_v<Out>) {
          c[static_cast<size_t>((i + 1) * ldc_ + j)] = static_cast<Out>(sum);
        } else {
          c[static_cast<size_t>((i + 1) * ldc_ + j)] =
              static_cast<Out>(static_cast<float>(sum));
        }
      }
    }
    want_ = Bytes(c), a_ = Bytes(a), b_ = Bytes(b);
  }

  GemmType type_;
  Shape3 s_;
  bool ta_, tb_;
  int64_t lda_, ldb_, ldc_, out_bytes_ = 0;
  std::vector<char> a_, b_, c_, clean_, want_;
};

}  // namespace sluice::gemm_test
