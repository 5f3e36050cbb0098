// What an op's record alone refuses, for every op: too few and too many inputs,
// attributes that are missing, of another kind, out of bounds or not among the
// choices, and inputs of another type. Records list only what they refuse
// beyond that.
#include <gtest/gtest.h>

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/op/registry.h"
#include "sluice/op/signature.h"

namespace sluice {
namespace {

// A value that the record takes, whatever it means.
AttrValue AnyValue(const AttrSpec& spec) {
  if (spec.default_value.kind() != AttrKind::kNone) return spec.default_value;
  switch (spec.kind) {
    case AttrKind::kBool:
      return false;
    case AttrKind::kInt:
      return spec.bounded ? spec.min : int64_t{1};
    case AttrKind::kFloat:
      return 1.0;
    case AttrKind::kString:
      return spec.choices.empty() ? std::string("x") : spec.choices[0];
    case AttrKind::kDType:
      return DType::kF32;
    case AttrKind::kShape:
      return PartialShape({2});
    case AttrKind::kArray:
      return Array::Scalar<float>(1);
    default:
      return std::vector<int64_t>();  // an empty list of every kind
  }
}

DType AnyType(const OpRecord& op, const Attrs& attrs, const std::string& type) {
  if (DType fixed = DTypeFromName(type); fixed != DType::kInvalid) return fixed;
  if (const TypeVar* var = op.FindType(type)) {
    for (DType d : {DType::kF32, DType::kI64, DType::kBool, DType::kI32,
                    DType::kC64, DType::kString, DType::kU8}) {
      if (var->allowed.contains(d)) return d;
    }
  }
  const AttrValue* attr = attrs.find(type);
  if (attr && attr->kind() == AttrKind::kDType) return attr->get<DType>();
  return DType::kF32;
}

// A call of an op that its record has nothing against: lists are of one.
struct Call {
  explicit Call(const OpRecord& record) : op(record) {
    for (const AttrSpec& spec : op.attrs) attrs.set(spec.name, AnyValue(spec));
    for (const ArgSpec& arg : op.inputs) {
      inputs.push_back(AnyType(op, attrs, arg.type));
    }
  }

  void ExpectRefused(std::string_view message) const {
    SCOPED_TRACE(message);
    auto resolved = ResolveCall(op, attrs, inputs);
    ASSERT_FALSE(resolved.ok()) << "was accepted";
    std::string want = StrCat("[", op.name, "] ", message);
    EXPECT_TRUE(resolved.status().message().starts_with(want))
        << "got: " << resolved.status().message();
  }

  const OpRecord& op;
  Attrs attrs;
  std::vector<DType> inputs;
};

class RecordRejects : public testing::TestWithParam<std::string> {
 protected:
  const OpRecord& op() const { return *FindOp(GetParam()); }
};

TEST_P(RecordRejects, OtherNumbersOfInputs) {
  Call call(op());
  size_t fixed = 0;
  bool list = false;
  for (const ArgSpec& arg : op().inputs) {
    list |= arg.list;
    fixed += arg.list ? 0 : 1;
  }
  std::string takes =
      StrCat("takes ", list ? "at least " : "", fixed, " input");
  if (fixed > 0) {
    call.inputs.resize(fixed - 1);
    call.ExpectRefused(takes);
  }
  if (list) return;
  call.inputs.resize(fixed + 1, DType::kF32);
  call.ExpectRefused(takes);
}

TEST_P(RecordRejects, AttributesOfAnotherKind) {
  for (const AttrSpec& spec : op().attrs) {
    Call call(op());
    bool is_bool = spec.kind == AttrKind::kBool;
    call.attrs.set(spec.name, is_bool ? AttrValue("x") : AttrValue(true));
    call.ExpectRefused(
        StrCat("attribute ", spec.name, " is ",
               is_bool ? "\"x\" of kind string" : "true of kind bool",
               "; wanted ", AttrKindName(spec.kind)));
  }
}

TEST_P(RecordRejects, AttributesOutOfBounds) {
  for (const AttrSpec& spec : op().attrs) {
    if (!spec.bounded) continue;
    auto expect = [&](int64_t value) {
      Call call(op());
      bool many = spec.kind == AttrKind::kInts;
      call.attrs.set(spec.name, many ? AttrValue(std::vector<int64_t>{value})
                                     : AttrValue(value));
      call.ExpectRefused(StrCat("attribute ", spec.name, " is ", value,
                                "; wanted ", spec.min, " to ", spec.max));
    };
    if (spec.min > INT64_MIN) expect(spec.min - 1);
    if (spec.max < INT64_MAX) expect(spec.max + 1);
  }
}

TEST_P(RecordRejects, WordsThatAreNoChoice) {
  for (const AttrSpec& spec : op().attrs) {
    if (spec.choices.empty()) continue;
    Call call(op());
    call.attrs.set(spec.name, "no such word");
    call.ExpectRefused(StrCat("attribute ", spec.name,
                              " is \"no such word\"; wanted one of ",
                              Join(spec.choices, ", ")));
  }
}

TEST_P(RecordRejects, AttributesThatAreMissingOrUnknown) {
  for (const AttrSpec& spec : op().attrs) {
    if (spec.default_value.kind() != AttrKind::kNone) continue;
    Call call(op());
    Attrs rest;
    for (const auto& [name, value] : call.attrs) {
      if (name != spec.name) rest.set(name, value);
    }
    call.attrs = rest;
    call.ExpectRefused(StrCat("attribute ", spec.name, " is missing; wanted ",
                              AttrKindName(spec.kind)));
  }
  Call call(op());
  call.attrs.set("no_such_attribute", true);
  call.ExpectRefused("has no attribute no_such_attribute; wanted one of (");
}

TEST_P(RecordRejects, InputsOfAnotherType) {
  for (size_t i = 0; i < op().inputs.size(); ++i) {
    const ArgSpec& arg = op().inputs[i];
    const TypeVar* var = op().FindType(arg.type);
    bool fixed = DTypeFromName(arg.type) != DType::kInvalid;
    if (!var && !fixed) continue;
    for (DType other : {DType::kF64, DType::kString, DType::kResource}) {
      Call call(op());
      bool taken = var && var->allowed.contains(other);
      if (taken || call.inputs[i] == other) continue;
      call.inputs[i] = other;
      call.ExpectRefused(StrCat(op().InputName(static_cast<int>(i)), " is ",
                                DTypeName(other), "; wanted "));
    }
  }
}

TEST_P(RecordRejects, ResultsOfAnotherType) {
  for (const ArgSpec& arg : op().outputs) {
    const TypeVar* var = op().FindType(arg.type);
    const AttrSpec* attr = op().FindAttr(arg.type);
    // Where inputs are of the type, too, they decide.
    bool by_input = std::any_of(
        op().inputs.begin(), op().inputs.end(),
        [&](const ArgSpec& input) { return input.type == arg.type; });
    if (!var || !attr || arg.list || by_input) continue;
    for (DType other : {DType::kF32, DType::kI64, DType::kString}) {
      if (var->allowed.contains(other)) continue;
      Call call(op());
      call.attrs.set(attr->name, other);
      call.ExpectRefused(StrCat("attribute ", attr->name, " is ",
                                DTypeName(other), "; not a type of ",
                                arg.name));
    }
  }
}

std::vector<std::string> OpNames() {
  std::vector<std::string> names;
  for (const OpRecord* op : AllOps()) names.push_back(op->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Ops, RecordRejects, testing::ValuesIn(OpNames()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return info.param;
                         });

}  // namespace
}  // namespace sluice
