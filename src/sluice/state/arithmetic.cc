#include "sluice/state/arithmetic.h"

#include <type_traits>

#include "sluice/base/strings.h"
#include "sluice/tensor/dispatch.h"
#include "sluice/tensor/remote_copy.h"
#include "sluice/tensor/remote_work.h"

namespace sluice {

namespace {

// Signed overflow is undefined in C++ and ordinary in data: compute unsigned.
template <class T>
T Plus(T a, T b, bool subtract) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    auto x = static_cast<U>(a), y = static_cast<U>(b);
    return static_cast<T>(static_cast<U>(subtract ? x - y : x + y));
  } else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    float x = a, y = b;
    return T(subtract ? x - y : x + y);
  } else {
    return subtract ? a - b : a + b;
  }
}

template <class T>
T Quotient(T a, int64_t count) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return a / static_cast<uint64_t>(count);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<int64_t>(a) / count);
  } else if constexpr (std::is_same_v<T, double>) {
    return a / static_cast<double>(count);
  } else if constexpr (std::is_same_v<T, complex64>) {
    return a / static_cast<float>(count);
  } else {
    return T(static_cast<float>(a) / static_cast<float>(count));
  }
}

template <class F>
bool DispatchNumbers(DType dtype, F&& visit) {
  if (dtype == DType::kC64) {
    visit.template operator()<complex64>();
    return true;
  }
  return DispatchReals(dtype, visit);
}

}  // namespace

Result<Array> OwnedArray(const Array& array) {
  if (array.rep()->borrowed || !array.contiguous()) return array.Clone();
  return array;
}

namespace {

// The same for elements in device memory, which stay there.
Status AddRemote(Array* target, const Array& x, bool subtract) {
  Memory* memory = (target->on_host() ? x : *target).memory();
  SL_ASSIGN_OR_RETURN(Array b, RemoteCopy::To(x, memory));
  if (target->memory() == memory && target->unique()) {
    return RemoteWork::Add(*target, b, subtract, *target);
  }
  SL_ASSIGN_OR_RETURN(Array a, RemoteCopy::To(*target, memory));
  SL_ASSIGN_OR_RETURN(Array out,
                      Array::Make(x.dtype(), x.shape(), AllocatorOf(memory)));
  SL_RETURN_IF_ERROR(RemoteWork::Add(a, b, subtract, out));
  *target = std::move(out);
  return OkStatus();
}

}  // namespace

Status AddTo(Array* target, const Array& x, bool subtract) {
  if (RemoteWork::Needed(*target) || RemoteWork::Needed(x)) {
    return AddRemote(target, x, subtract);
  }
  Array out;
  if (target->unique()) {
    out = *target;
  } else {
    SL_ASSIGN_OR_RETURN(out, Array::Make(target->dtype(), target->shape(),
                                         AllocatorOf(target->memory())));
  }
  bool known = DispatchNumbers(x.dtype(), [&]<class T>() {
    const T *a = target->data<T>(), *b = x.data<T>();
    T* c = out.mutable_data<T>();
    int64_t n = x.num_elements();
    // Two loops, so that neither contains a branch.
    if (subtract) {
      for (int64_t i = 0; i < n; ++i) c[i] = Plus(a[i], b[i], true);
    } else {
      for (int64_t i = 0; i < n; ++i) c[i] = Plus(a[i], b[i], false);
    }
  });
  if (!known) {
    return InvalidArgument(
        StrCat("cannot add ", x.TypeText(), "; wanted a number type"));
  }
  *target = std::move(out);
  return OkStatus();
}

Result<Array> Divide(const Array& sum, int64_t count) {
  SL_ASSIGN_OR_RETURN(Array out, Array::Make(sum.dtype(), sum.shape()));
  DispatchNumbers(sum.dtype(), [&]<class T>() {
    const T* a = sum.data<T>();
    T* c = out.mutable_data<T>();
    for (int64_t i = 0, n = sum.num_elements(); i < n; ++i) {
      c[i] = Quotient(a[i], count);
    }
  });
  return out;
}

DType SumDType(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 ? DType::kF32 : dtype;
}

Result<Array> ConvertFloat(const Array& x, DType to) {
  if (x.dtype() == to) return x;
  SL_ASSIGN_OR_RETURN(Array out, Array::Make(to, x.shape()));
  DispatchFloats(x.dtype(), [&]<class From>() {
    DispatchFloats(to, [&]<class To>() {
      const From* a = x.data<From>();
      To* c = out.mutable_data<To>();
      for (int64_t i = 0, n = x.num_elements(); i < n; ++i) {
        c[i] = static_cast<To>(static_cast<float>(a[i]));
      }
    });
  });
  return out;
}

}  // namespace sluice
