// Attacks on attributes.
#include <algorithm>
#include <limits>

#include "sluice/base/strings.h"
#include "tests/hostile_calls.h"

namespace sluice {

namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kNumbers[] = {-1,
                                0,
                                1,
                                2,
                                7,
                                -2,
                                INT64_MIN,
                                INT64_MAX,
                                int64_t{1} << 31,
                                1 << 20,
                                -(int64_t{1} << 31)};

std::vector<AttrValue> IntLists(const Ints& old) {
  std::vector<AttrValue> out = {Ints{}};
  Ints longer = old;
  longer.push_back(1);
  out.push_back(longer);
  if (!old.empty()) out.push_back(Ints(old.begin(), old.end() - 1));
  size_t n = std::max<size_t>(old.size(), 1);
  for (int64_t v : kNumbers) out.push_back(Ints(n, v));
  out.push_back(Ints(40, 1));
  out.push_back(Ints(n + 1, INT64_MAX));
  for (size_t i = 0; i < old.size(); ++i) {
    for (int64_t v :
         {int64_t{-1}, int64_t{0}, int64_t{3}, INT64_MIN, INT64_MAX}) {
      Ints one = old;
      one[i] = v;
      out.push_back(one);
    }
  }
  return out;
}

std::vector<AttrValue> Floats() {
  using Limits = std::numeric_limits<double>;
  return {0.0,
          -1.0,
          1e300,
          Limits::quiet_NaN(),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::denorm_min()};
}

std::vector<AttrValue> Strings() {
  return {"",
          "garbled",
          std::string("\0\xff", 2),
          std::string(5000, 'x'),
          "ij,jk->ik",
          "->",
          "...",
          "aa->a",
          "i,j,k->ijk",
          ",",
          "i->ii"};
}

std::vector<AttrValue> DTypes() {
  std::vector<AttrValue> out;
  for (int i = 0; i < kNumDTypes; ++i) out.push_back(static_cast<DType>(i));
  return out;
}

std::vector<AttrValue> Shapes() {
  return {PartialShape(),
          PartialShape{},
          PartialShape({0}),
          PartialShape({kUnknownDim, 2}),
          PartialShape({SymbolDim(3)}),
          PartialShape({int64_t{1} << 40}),
          PartialShape({1 << 20, 1 << 20}),
          PartialShape({1, 1, 1, 1, 1, 1, 1, 1})};
}

std::vector<AttrValue> Arrays() {
  return {Array(), Array::Scalar(1.0f), Array::Zeros(DType::kF32, {0}),
          Array::Zeros(DType::kString, {2}), Array::Zeros(DType::kI64, {2, 3})};
}

// Values of the attribute's kind, some of them derived from the present one.
std::vector<AttrValue> ValuesFor(const AttrSpec& spec, const AttrValue& now) {
  bool same = now.kind() == spec.kind;
  switch (spec.kind) {
    case AttrKind::kBool:
      return {true, false};
    case AttrKind::kInt:
      // Braces would make two bools of the pointers.
      return std::vector<AttrValue>(std::begin(kNumbers), std::end(kNumbers));
    case AttrKind::kInts:
      return IntLists(same ? now.get<Ints>() : Ints());
    case AttrKind::kFloat:
      return Floats();
    case AttrKind::kFloats:
      return {std::vector<double>{}, std::vector<double>(3, 0.0),
              std::vector<double>(40, -1.0),
              std::vector<double>(2, std::numeric_limits<double>::quiet_NaN())};
    case AttrKind::kString: {
      std::vector<AttrValue> out = Strings();
      for (const std::string& c : spec.choices) out.push_back(c);
      return out;
    }
    case AttrKind::kStrings:
      return {std::vector<std::string>{}, std::vector<std::string>(40, "s"),
              std::vector<std::string>{""}};
    case AttrKind::kDType:
      return DTypes();
    case AttrKind::kDTypes:
      return {std::vector<DType>{}, std::vector<DType>(40, DType::kF32),
              std::vector<DType>(1, DType::kInvalid),
              std::vector<DType>(2, DType::kString)};
    case AttrKind::kShape:
      return Shapes();
    case AttrKind::kShapes:
      return {std::vector<PartialShape>{}, std::vector<PartialShape>(40),
              std::vector<PartialShape>{PartialShape({int64_t{1} << 40})}};
    case AttrKind::kArray:
      return Arrays();
    case AttrKind::kNone:
      break;
  }
  return {};
}

}  // namespace

std::vector<Attack> AttrAttacks(const OpRecord& op, const Attrs& attrs) {
  std::vector<Attack> attacks;
  for (const AttrSpec& spec : op.attrs) {
    const AttrValue* given = attrs.find(spec.name);
    std::vector<AttrValue> values =
        ValuesFor(spec, given ? *given : spec.default_value);
    // And of a wrong kind.
    values.push_back(spec.kind == AttrKind::kString ? AttrValue(3)
                                                    : AttrValue("text"));
    for (const AttrValue& value : values) {
      std::string text = value.kind() == AttrKind::kArray && !value.get<Array>()
                             ? "nothing"
                             : value.ToString().substr(0, 60);
      attacks.push_back({StrCat(spec.name, " = ", text),
                         [name = spec.name, value](HostileCall& c) {
                           c.attrs.set(name, value);
                         }});
    }
  }
  attacks.push_back({"an unknown attribute", [](HostileCall& c) {
                       c.attrs.set("no_such_attribute", 1);
                     }});
  if (!attrs.empty()) {
    attacks.push_back(
        {"no attributes", [](HostileCall& c) { c.attrs = Attrs(); }});
  }
  return attacks;
}

}  // namespace sluice
