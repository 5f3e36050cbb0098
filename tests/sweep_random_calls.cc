#include "tests/sweep_random_calls.h"

#include <limits>

#include "sluice/tensor/dispatch.h"

namespace sluice {

uint32_t RandomCalls::Draw(uint32_t below) {
  return RandomBits(key_, count_++)[0] % below;
}

// Small numbers, and such as overflow whatever is done with them.
int64_t RandomCalls::Number() {
  static constexpr int64_t kExtremes[] = {
      INT64_MIN,           INT64_MIN + 1,    INT64_MAX, INT64_MAX - 1,
      -(int64_t{1} << 62), int64_t{1} << 62, -1000};
  if (OneIn(4)) return kExtremes[Draw(7)];
  return static_cast<int64_t>(Draw(7)) - 3;
}

DType RandomCalls::AnyType() {
  return static_cast<DType>(1 + Draw(kNumDTypes - 2));  // no resources
}

Array RandomCalls::AnyArray(DType dtype) {
  if (dtype == DType::kInvalid || dtype == DType::kResource) dtype = AnyType();
  std::vector<int64_t> dims;
  uint32_t rank = OneIn(8) ? Draw(kMaxRank + 1) : Draw(4);
  for (uint32_t i = 0; i < rank; ++i) dims.push_back(Draw(4));
  Array a = Array::Zeros(dtype, *Shape::Make(dims));
  DispatchAll(dtype, [&]<class T>() {
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      int64_t v = Number();
      T& to = a.mutable_data<T>()[i];
      if constexpr (std::is_same_v<T, std::string>) {
        to = std::to_string(v);
      } else if constexpr (std::is_same_v<T, bool>) {
        to = v & 1;
      } else if constexpr (std::is_integral_v<T>) {
        to = static_cast<T>(v);
      } else {
        float f = OneIn(20) ? std::numeric_limits<float>::quiet_NaN()
                            : static_cast<float>(v);
        to = T(f);
      }
    }
  });
  return OneIn(4) ? Restride(a, static_cast<int>(Draw(kNumLayouts))) : a;
}

AttrValue RandomCalls::AnyAttr(AttrKind kind) {
  uint32_t n = Draw(4);
  switch (kind) {
    case AttrKind::kBool:
      return OneIn(2);
    case AttrKind::kInt:
      return Number();
    case AttrKind::kFloat:
      return static_cast<double>(Number());
    case AttrKind::kString:
      return "text";
    case AttrKind::kDType:
      return AnyType();
    case AttrKind::kShape:
      return PartialShape({Draw(3), Draw(3)});
    case AttrKind::kArray:
      return AnyArray(AnyType());
    case AttrKind::kInts: {
      std::vector<int64_t> v;
      for (uint32_t i = 0; i < n; ++i) v.push_back(Number());
      return v;
    }
    case AttrKind::kFloats:
      return std::vector<double>(n, 1.5);
    case AttrKind::kStrings:
      return std::vector<std::string>(n, "s");
    case AttrKind::kDTypes:
      return std::vector<DType>(n, AnyType());
    case AttrKind::kShapes:
      return std::vector<PartialShape>(n);
    case AttrKind::kNone:
      return true;
  }
  return true;
}

void RandomCalls::FittingInputs(SweepCase& c) {
  c.inputs.clear();
  std::vector<DType> bound;
  for (const TypeVar& var : op_.types) {
    DType t = AnyType();
    while (!var.allowed.contains(t)) t = AnyType();
    bound.push_back(t);
  }
  for (const ArgSpec& arg : op_.inputs) {
    uint32_t count = arg.list ? Draw(4) : 1;
    for (uint32_t i = 0; i < count; ++i) {
      DType dtype = DTypeFromName(arg.type);
      for (size_t k = 0; k < bound.size(); ++k) {
        if (op_.types[k].name == arg.type) dtype = bound[k];
      }
      c.inputs.push_back(AnyArray(dtype));
    }
  }
}

SweepCase RandomCalls::Next() {
  // Start from a legal call and spoil it.
  SweepCase c = samples_[Draw(static_cast<uint32_t>(samples_.size()))];
  if (OneIn(10)) return c;
  if (OneIn(2)) FittingInputs(c);
  if (!c.inputs.empty() && OneIn(3)) {
    size_t i = Draw(static_cast<uint32_t>(c.inputs.size()));
    c.inputs[i] = AnyArray(OneIn(4) ? AnyType() : c.inputs[i].dtype());
  }
  if (OneIn(12)) c.inputs.push_back(AnyArray(AnyType()));
  if (!c.inputs.empty() && OneIn(12)) c.inputs.pop_back();
  for (const AttrSpec& attr : op_.attrs) {
    if (!OneIn(3)) continue;
    AttrKind kind = OneIn(10) ? static_cast<AttrKind>(1 + Draw(12)) : attr.kind;
    c.attrs.set(attr.name, AnyAttr(kind));
  }
  return c;
}

}  // namespace sluice
