#include "tests/sweep_cases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sluice/base/random.h"
#include "sluice/base/strings.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/dispatch.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

// Which declared input input i of n belongs to, as ResolveCall assigns them.
const ArgSpec& SpecOf(const OpRecord& op, size_t i, size_t n) {
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    if (op.inputs[k].list) {
      size_t after = op.inputs.size() - k - 1;
      return i < n - after ? op.inputs[k]
                           : op.inputs[op.inputs.size() - (n - i)];
    }
    if (k == i) return op.inputs[k];
  }
  return op.inputs.back();
}

double Draw(uint64_t stream, int64_t i, double lo, double hi) {
  uint64_t bits = RandomKey::Mix(stream << 32 ^ static_cast<uint64_t>(i));
  return lo + (hi - lo) * static_cast<double>(bits >> 11) * 0x1p-53;
}

template <class T>
T FromDouble(double v) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::to_string(static_cast<int64_t>(v));
  } else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16> ||
                       std::is_same_v<T, complex64>) {
    return T(static_cast<float>(v));
  } else if constexpr (std::is_integral_v<T> && sizeof(T) < 4) {
    // Ranges are written for wider types, too.
    return static_cast<T>(std::clamp<double>(v, std::numeric_limits<T>::min(),
                                             std::numeric_limits<T>::max()));
  } else {
    return static_cast<T>(v);
  }
}

Array RandomArray(DType dtype, const Shape& shape, double lo, double hi,
                  uint64_t stream) {
  Array a = *Array::Make(dtype, shape);
  if (dtype == DType::kBool) lo = 0, hi = 1;
  bool whole = !IsFloating(dtype) && dtype != DType::kC64;
  if (dtype >= DType::kU8 && dtype <= DType::kU64) lo = std::max(lo, 0.0);
  hi = std::max(lo, hi);
  DispatchAll(dtype, [&]<class T>() {
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      double v = Draw(stream, i, lo, whole ? hi + 1 : hi);
      if (whole) v = std::min(std::floor(v), hi);
      a.mutable_data<T>()[i] = FromDouble<T>(v);
    }
  });
  return a;
}

std::vector<DType> Members(DTypeSet set) {
  std::vector<DType> out;
  for (int i = 1; i < kNumDTypes; ++i) {
    auto dtype = static_cast<DType>(i);
    if (dtype != DType::kResource && set.contains(dtype)) out.push_back(dtype);
  }
  return out;
}

}  // namespace

namespace {

std::vector<SweepCase> MakeCases(const OpRecord& op) {
  std::vector<SweepCase> cases;
  for (size_t s = 0; s < op.samples.size(); ++s) {
    const Sample& sample = op.samples[s];
    size_t n = sample.in.size();
    // The choices of each type variable for this sample.
    std::vector<std::vector<DType>> choices;
    for (const TypeVar& var : op.types) {
      DTypeSet allowed = var.allowed;
      if (var.name == "T" && !sample.only.empty())
        allowed = allowed & sample.only;
      bool used = false;
      for (size_t i = 0; i < n; ++i) {
        if (SpecOf(op, i, n).type != var.name) continue;
        used = true;
        if (sample.in[i].value) allowed = {sample.in[i].value.dtype()};
      }
      choices.push_back(used ? Members(allowed)
                             : std::vector<DType>{DType::kInvalid});
    }
    std::vector<size_t> pick(choices.size(), 0);
    for (bool more = true; more;) {
      SweepCase c;
      c.name = StrCat("sample ", s);
      c.sample = s;
      c.first = cases.empty() || cases.back().sample != s;
      c.attrs = sample.attrs;
      bool empty = false;
      for (size_t k = 0; k < pick.size(); ++k) {
        empty = empty || choices[k].empty();
        c.bound.push_back(choices[k].empty() ? DType::kInvalid
                                             : choices[k][pick[k]]);
        StrAppend(c.name, ", ", op.types[k].name, " = ",
                  DTypeName(c.bound.back()));
      }
      if (empty) break;
      for (size_t i = 0; i < n; ++i) {
        if (sample.in[i].value) {
          c.inputs.push_back(sample.in[i].value);
          continue;
        }
        const std::string& type = SpecOf(op, i, n).type;
        DType dtype = DTypeFromName(type);
        for (size_t k = 0; k < op.types.size(); ++k) {
          if (op.types[k].name == type) dtype = c.bound[k];
        }
        if (dtype == DType::kInvalid) dtype = DType::kF32;  // "any"
        c.inputs.push_back(RandomArray(dtype, sample.in[i].shape, sample.lo,
                                       sample.hi, 10 * s + i));
      }
      cases.push_back(std::move(c));
      // The next combination, like the digits of a number.
      more = false;
      for (size_t k = 0; k < pick.size() && !more; ++k) {
        more = ++pick[k] < choices[k].size();
        if (!more) pick[k] = 0;
      }
    }
  }
  return cases;
}

}  // namespace

const std::vector<SweepCase>& CasesOf(const OpRecord& op) {
  static auto* made = new std::map<const OpRecord*, std::vector<SweepCase>>;
  auto [it, fresh] = made->try_emplace(&op);
  if (fresh) it->second = MakeCases(op);
  return it->second;
}

std::vector<Array> InputsOf(const Reject& reject) {
  std::vector<Array> inputs;
  for (const SampleInput& in : reject.in) {
    inputs.push_back(in.value ? in.value
                              : Array::Zeros(reject.dtype, in.shape));
  }
  return inputs;
}

RefArray ToRef(const Array& array) {
  RefArray out{array.shape(), {}, array.dtype()};
  Array row = *array.AsContiguous();
  DispatchAll(row.dtype(), [&]<class T>() {
    const T* x = row.data<T>();
    for (int64_t i = 0; i < row.num_elements(); ++i) {
      if constexpr (std::is_same_v<T, std::string>) {
        out.v.push_back(std::atof(x[i].c_str()));
      } else if constexpr (std::is_same_v<T, complex64>) {
        out.v.push_back(x[i].real());
      } else {
        out.v.push_back(static_cast<double>(x[i]));
      }
    }
  });
  return out;
}

Restrided LayoutOf(const Array& array, int kind) {
  std::vector<int64_t> dims(array.shape().dims().begin(),
                            array.shape().dims().end());
  Restrided layout;
  auto rank = static_cast<size_t>(array.rank());
  if (kind == 0) {
    std::vector<int64_t> reversed(dims.rbegin(), dims.rend());
    layout.stored = *Shape::Make(reversed);
    Strides own = ContiguousStrides(layout.stored);
    for (size_t i = 0; i < rank; ++i) layout.strides[i] = own[rank - 1 - i];
  } else if (kind == 1) {
    dims.back() *= 2;
    layout.stored = *Shape::Make(dims);
    layout.strides = ContiguousStrides(layout.stored);
    layout.strides[rank - 1] *= 2;
  } else {
    layout.stored = array.shape();
    layout.strides = ContiguousStrides(layout.stored);
    for (size_t i = 0; i < rank; ++i) {
      layout.offset += (dims[i] - 1) * layout.strides[i];
      layout.strides[i] = -layout.strides[i];
    }
  }
  if (array.num_elements() == 0) layout.offset = 0;
  return layout;
}

Array Restride(const Array& array, int kind) {
  if (array.rank() == 0 || array.dtype() == DType::kResource) return array;
  auto [stored, offset, strides] = LayoutOf(array, kind);
  Array base = Array::Zeros(array.dtype(), stored);
  Array view = Array::View(base, offset, array.shape(), strides);
  StridedWalk<2> walk(array.shape(), {array.strides(), strides});
  DispatchAll(array.dtype(), [&]<class T>() {
    walk.ForEachRun([&](const auto& at, const auto& step, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        view.mutable_data<T>()[at[1] + i * step[1]] =
            array.data<T>()[at[0] + i * step[0]];
      }
    });
  });
  return view;
}

}  // namespace sluice
