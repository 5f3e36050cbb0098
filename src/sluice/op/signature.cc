#include "sluice/op/signature.h"

#include "sluice/base/strings.h"

namespace sluice {

namespace {

Status Refuse(const OpRecord& op, std::string_view message) {
  return InvalidArgument(StrCat("[", op.name, "] ", message));
}

Status CheckBounds(const OpRecord& op, const AttrSpec& spec, int64_t v) {
  if (!spec.bounded || (v >= spec.min && v <= spec.max)) return OkStatus();
  return Refuse(op, StrCat("attribute ", spec.name, " is ", v, "; wanted ",
                           spec.min, " to ", spec.max));
}

// `value` as the kind in the record. An int is accepted for a float, and an
// empty list for any kind of list.
Result<AttrValue> Coerce(const OpRecord& op, const AttrSpec& spec,
                         const AttrValue& value) {
  AttrValue v = value;
  if (spec.kind == AttrKind::kFloat && v.kind() == AttrKind::kInt) {
    v = static_cast<double>(v.get<int64_t>());
  } else if (spec.kind == AttrKind::kFloats && v.kind() == AttrKind::kInts) {
    std::vector<double> floats(v.get<std::vector<int64_t>>().begin(),
                               v.get<std::vector<int64_t>>().end());
    v = std::move(floats);
  } else if (v.kind() == AttrKind::kInts &&
             v.get<std::vector<int64_t>>().empty()) {
    if (spec.kind == AttrKind::kStrings) v = std::vector<std::string>();
    if (spec.kind == AttrKind::kDTypes) v = std::vector<DType>();
    if (spec.kind == AttrKind::kShapes) v = std::vector<PartialShape>();
  }
  if (v.kind() != spec.kind) {
    return Refuse(op, StrCat("attribute ", spec.name, " is ", value.ToString(),
                             " of kind ", AttrKindName(value.kind()),
                             "; wanted ", AttrKindName(spec.kind)));
  }
  if (spec.kind == AttrKind::kArray && !v.get<Array>()) {
    return Refuse(op, StrCat("attribute ", spec.name, " holds no array"));
  }
  if (spec.kind == AttrKind::kInt) {
    SL_RETURN_IF_ERROR(CheckBounds(op, spec, v.get<int64_t>()));
  } else if (spec.kind == AttrKind::kInts) {
    for (int64_t i : v.get<std::vector<int64_t>>()) {
      SL_RETURN_IF_ERROR(CheckBounds(op, spec, i));
    }
  } else if (spec.kind == AttrKind::kString && !spec.choices.empty()) {
    bool found = false;
    for (const std::string& c : spec.choices) {
      found = found || c == v.get<std::string>();
    }
    if (!found) {
      return Refuse(
          op, StrCat("attribute ", spec.name, " is \"", v.get<std::string>(),
                     "\"; wanted one of ", Join(spec.choices, ", ")));
    }
  }
  return v;
}

Result<Attrs> CompleteAttrs(const OpRecord& op, const Attrs& given) {
  Attrs out;
  for (const AttrSpec& spec : op.attrs) {
    const AttrValue* value = given.find(spec.name);
    if (value) {
      SL_ASSIGN_OR_RETURN(AttrValue v, Coerce(op, spec, *value));
      out.set(spec.name, std::move(v));
    } else if (spec.default_value.kind() != AttrKind::kNone) {
      out.set(spec.name, spec.default_value);
    } else {
      return Refuse(op, StrCat("attribute ", spec.name, " is missing; wanted ",
                               AttrKindName(spec.kind)));
    }
  }
  for (const auto& [name, value] : given) {
    if (!op.FindAttr(name)) {
      std::vector<std::string> names;
      for (const AttrSpec& spec : op.attrs) names.push_back(spec.name);
      return Refuse(op, StrCat("has no attribute ", name, "; wanted one of (",
                               Join(names, ", "), ")"));
    }
  }
  return out;
}

// The types bound so far; type variables are bound by their first operand.
class TypeBinding {
 public:
  TypeBinding(const OpRecord& op, const Attrs& attrs)
      : op_(op), attrs_(attrs) {}

  Status Bind(int input, const std::string& type, DType got) {
    if (type == "any") {
      // "any" accepts data; a resource requires an explicit type.
      if (got != DType::kInvalid) return OkStatus();
    }
    if (DType fixed = DTypeFromName(type); fixed != DType::kInvalid) {
      if (got == fixed) return OkStatus();
      return Wrong(input, got, std::string(DTypeName(fixed)));
    }
    if (const TypeVar* var = op_.FindType(type)) {
      for (const auto& b : bound_) {
        if (b.name != type) continue;
        if (b.dtype == got) return OkStatus();
        return Wrong(
            input, got,
            StrCat(DTypeName(b.dtype), " as ", op_.InputName(b.input)));
      }
      if (!var->allowed.contains(got)) {
        return Wrong(input, got, StrCat("one of ", var->allowed));
      }
      bound_.push_back({type, got, input});
      return OkStatus();
    }
    if (const AttrValue* attr = attrs_.find(type)) {
      DType want = attr->kind() == AttrKind::kDType ? attr->get<DType>()
                                                    : DType::kInvalid;
      if (got == want) return OkStatus();
      return Wrong(input, got, std::string(DTypeName(want)));
    }
    return Wrong(input, got, type);
  }

  // The dtype of an output with this type.
  Result<DType> Of(const ArgSpec& arg) const {
    if (DType fixed = DTypeFromName(arg.type); fixed != DType::kInvalid) {
      return fixed;
    }
    // "compute(T)" is the type in which T is computed: half-precision types are
    // widened to it.
    std::string_view name = arg.type;
    bool widened = name.starts_with("compute(") && name.ends_with(")");
    if (widened) name = name.substr(8, name.size() - 9);
    for (const auto& b : bound_) {
      if (b.name != name) continue;
      bool half = b.dtype == DType::kF16 || b.dtype == DType::kBF16;
      return widened && half ? DType::kF32 : b.dtype;
    }
    if (const AttrValue* attr = attrs_.find(arg.type)) {
      if (attr->kind() == AttrKind::kArray) return attr->get<Array>().dtype();
      if (attr->kind() == AttrKind::kDType) {
        DType dtype = attr->get<DType>();
        const TypeVar* allowed = op_.FindType(arg.type);
        if (dtype == DType::kInvalid ||
            (allowed && !allowed->allowed.contains(dtype))) {
          return Refuse(op_,
                        StrCat("attribute ", arg.type, " is ", DTypeName(dtype),
                               "; not a type of ", arg.name));
        }
        return dtype;
      }
    }
    return Refuse(op_, StrCat("the type ", arg.type, " of output ", arg.name,
                              " is not determined by the inputs"));
  }

 private:
  Status Wrong(int input, DType got, std::string_view want) const {
    return Refuse(op_, StrCat(op_.InputName(input), " is ", DTypeName(got),
                              "; wanted ", want));
  }
  struct Bound {
    std::string name;
    DType dtype;
    int input;
  };
  const OpRecord& op_;
  const Attrs& attrs_;
  std::vector<Bound> bound_;
};

// The number of outputs of "ys: T * name": the value of an int attribute, one
// for each entry of a list attribute, or one for each input of a list input.
int64_t OutputCount(const OpRecord& op, const std::string& name,
                    const Attrs& attrs, size_t inputs) {
  if (const AttrValue* attr = attrs.find(name)) {
    if (attr->kind() == AttrKind::kInt) return attr->get<int64_t>();
    return static_cast<int64_t>(attr->get<std::vector<int64_t>>().size());
  }
  return static_cast<int64_t>(inputs - (op.inputs.size() - 1));
}

Status CheckArity(const OpRecord& op, size_t got) {
  size_t fixed = 0;
  bool list = false;
  for (const ArgSpec& arg : op.inputs) arg.list ? list = true : ++fixed, void();
  if (list ? got >= fixed : got == fixed) return OkStatus();
  return Refuse(op, StrCat("takes ", list ? "at least " : "", fixed, " input",
                           fixed == 1 ? "" : "s", ", got ", got));
}

}  // namespace

Result<ResolvedCall> ResolveCall(const OpRecord& op, const Attrs& attrs,
                                 std::span<const DType> in_dtypes) {
  ResolvedCall call;
  SL_RETURN_IF_ERROR(CheckArity(op, in_dtypes.size()));
  SL_ASSIGN_OR_RETURN(call.attrs, CompleteAttrs(op, attrs));

  TypeBinding types(op, call.attrs);
  size_t next = 0;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    // A list takes all inputs that the declared inputs after it do not need.
    size_t after = op.inputs.size() - k - 1;
    size_t count = op.inputs[k].list ? in_dtypes.size() - next - after : 1;
    for (size_t i = 0; i < count; ++i, ++next) {
      SL_RETURN_IF_ERROR(types.Bind(static_cast<int>(next), op.inputs[k].type,
                                    in_dtypes[next]));
    }
  }

  constexpr int64_t kMaxOutputs = 1 << 16;
  for (const ArgSpec& arg : op.outputs) {
    const AttrValue* list = arg.list ? call.attrs.find(arg.type) : nullptr;
    if (list && list->kind() == AttrKind::kDTypes) {
      for (DType d : list->get<std::vector<DType>>()) {
        if (d == DType::kInvalid ||
            (d == DType::kResource && op.flow == Flow::kNone)) {
          return Refuse(op, StrCat("attribute ", arg.type, " holds the type ",
                                   DTypeName(d)));
        }
        call.out_dtypes.push_back(d);
      }
      continue;
    }
    int64_t count = 1;
    if (arg.list) {
      count = OutputCount(op, arg.count_attr, call.attrs, in_dtypes.size());
      if (count < 0 || count > kMaxOutputs) {
        return Refuse(op, StrCat("attribute ", arg.count_attr, " is ", count,
                                 "; wanted 0 to ", kMaxOutputs));
      }
    }
    for (int64_t i = 0; i < count; ++i) {
      SL_ASSIGN_OR_RETURN(DType dtype, types.Of(arg));
      call.out_dtypes.push_back(dtype);
    }
  }
  return call;
}

Result<std::vector<PartialShape>> InferShapes(
    const OpRecord& op, const Attrs& attrs, std::span<const DType> in_dtypes,
    std::span<const PartialShape> in_shapes,
    std::span<const Array* const> values, std::span<const DType> out_dtypes) {
  std::vector<PartialShape> out(out_dtypes.size());
  ShapeContext context(op, attrs, in_dtypes, in_shapes, values, out_dtypes,
                       out);
  SL_RETURN_IF_ERROR(InOp(op, op.shape(context)));
  return out;
}

Status InOp(const OpRecord& op, Status status) {
  if (status.ok() || status.message().starts_with('[')) return status;
  return Status(status.code(), StrCat("[", op.name, "] ", status.message()));
}

}  // namespace sluice
