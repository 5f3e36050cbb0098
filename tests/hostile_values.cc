// Attacks on the elements of inputs: what indices, sizes and numbers may be.
#include <cstring>
#include <limits>

#include "sluice/base/strings.h"
#include "sluice/tensor/dispatch.h"
#include "tests/hostile_calls.h"

namespace sluice {

namespace {

constexpr int64_t kMin = INT64_MIN, kMax = INT64_MAX;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = std::numeric_limits<float>::denorm_min();
constexpr double kHuge = std::numeric_limits<float>::max();

// Extremes of the type itself, not of int64: INT64_MIN means its smallest.
template <class T>
T Fit(int64_t v) {
  if (v == kMin) return std::numeric_limits<T>::min();
  if (v == kMax) return std::numeric_limits<T>::max();
  return static_cast<T>(v);
}

void Replace(HostileCall& call, size_t i, double f, int64_t n) {
  if (i >= call.inputs.size()) return;
  call.inputs[i] = Refill(
      call.inputs[i], [=](int64_t) { return f; }, [=](int64_t) { return n; });
}

// Texts that look like numbers or like nothing.
Array StringAttack(const Array& array, size_t kind) {
  static const std::string kTexts[] = {"",
                                       "nonsense",
                                       "nan",
                                       "1e999",
                                       "-9223372036854775809",
                                       "0x1p",
                                       std::string("a\0b", 3),
                                       std::string(5000, 'x')};
  if (array.num_elements() > kMostElements) return array;
  Array out = Array::Zeros(DType::kString, array.shape());
  for (int64_t i = 0; i < out.num_elements(); ++i) {
    out.mutable_data<std::string>()[i] = kTexts[kind % 8];
  }
  return out;
}

// Every pair of extremes meets somewhere when inputs count through them at
// different paces.
void Extremes(HostileCall& call) {
  static constexpr int64_t kInts[] = {kMin, -1, kMax, 0, 1, kMin + 1, 64};
  static constexpr double kFloats[] = {kNaN,   -0.0,  kInf, -kInf, 0.0, kHuge,
                                       -kHuge, kTiny, 1.0,  -1.0,  0.5};
  for (size_t k = 0; k < call.inputs.size(); ++k) {
    auto pace = static_cast<int64_t>(2 * k + 1);
    call.inputs[k] = Refill(
        call.inputs[k],
        [=](int64_t i) { return kFloats[(i / pace + pace) % 11]; },
        [=](int64_t i) { return kInts[(i / pace + pace) % 7]; });
  }
}

}  // namespace

Array Refill(const Array& array, const std::function<double(int64_t)>& floats,
             const std::function<int64_t(int64_t)>& ints) {
  if (array.dtype() == DType::kResource ||
      array.num_elements() > kMostElements) {
    return array;
  }
  Array out = Array::Zeros(array.dtype(), array.shape());
  DispatchAll(array.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < out.num_elements(); ++i) {
      T& to = out.mutable_data<T>()[i];
      if constexpr (std::is_same_v<T, std::string>) {
        to = std::to_string(ints(i));
      } else if constexpr (std::is_same_v<T, bool>) {
        to = ints(i) & 1;
      } else if constexpr (std::is_integral_v<T>) {
        to = Fit<T>(ints(i));
      } else if constexpr (std::is_same_v<T, double>) {
        double v = floats(i);
        to = v == kHuge    ? std::numeric_limits<double>::max()
             : v == -kHuge ? std::numeric_limits<double>::lowest()
             : v == kTiny  ? std::numeric_limits<double>::denorm_min()
                           : v;
      } else {
        to = T(static_cast<float>(floats(i)));
      }
    }
  });
  return out;
}

std::vector<Attack> ValueAttacks(const std::vector<Array>& inputs) {
  std::vector<Attack> attacks;
  auto add = [&](std::string what, std::function<void(HostileCall&)> apply) {
    attacks.push_back({std::move(what), std::move(apply)});
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Array& x = inputs[i];
    std::string name = StrCat("input ", i);
    if (x.num_elements() == 0) continue;
    if (IsInteger(x.dtype())) {
      for (int64_t v :
           {int64_t{-1}, int64_t{0}, int64_t{1}, kMin, kMax, kMax - 1,
            int64_t{1} << 31, int64_t{-1} << 31, int64_t{1000}}) {
        add(StrCat(name, " all ", v),
            [=](HostileCall& c) { Replace(c, i, 0, v); });
      }
      for (int64_t v : {int64_t{-1}, kMin, kMax}) {
        add(StrCat(name, " with a ", v), [=](HostileCall& c) {
          if (i >= c.inputs.size() ||
              c.inputs[i].num_elements() > kMostElements) {
            return;
          }
          Array old = *c.inputs[i].AsContiguous();
          int64_t last = old.num_elements() - 1;
          Array now = Refill(
              old, [](int64_t) { return 0; }, [=](int64_t) { return v; });
          if (last < 0 || !IsPlainData(old.dtype())) return;
          auto size = static_cast<size_t>(DTypeSize(old.dtype()));
          // All but the last element as they were.
          std::memcpy(now.mutable_raw(), old.raw(),
                      size * static_cast<size_t>(last));
          c.inputs[i] = now;
        });
      }
    } else if (IsFloating(x.dtype()) || x.dtype() == DType::kC64) {
      for (double v : {kNaN, kInf, -kInf, kTiny, kHuge, -kHuge, 0.0, -0.0}) {
        add(StrCat(name, " all ", v),
            [=](HostileCall& c) { Replace(c, i, v, 0); });
      }
    } else if (x.dtype() == DType::kString) {
      for (size_t kind = 0; kind < 8; ++kind) {
        add(StrCat(name, " text ", kind), [=](HostileCall& c) {
          if (i < c.inputs.size()) {
            c.inputs[i] = StringAttack(c.inputs[i], kind);
          }
        });
      }
    }
  }
  if (!inputs.empty()) add("extremes", Extremes);
  return attacks;
}

}  // namespace sluice
