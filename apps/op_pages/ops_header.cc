#include "apps/op_pages/ops_header.h"

#include <cmath>
#include <cstdio>

#include "sluice/base/strings.h"
#include "sluice/op/op_function.h"

namespace sluice {

namespace {

std::string CppType(AttrKind kind) {
  switch (kind) {
    case AttrKind::kBool:
      return "bool";
    case AttrKind::kInt:
      return "int64_t";
    case AttrKind::kFloat:
      return "double";
    case AttrKind::kString:
      return "std::string";
    case AttrKind::kDType:
      return "DType";
    case AttrKind::kShape:
      return "PartialShape";
    case AttrKind::kArray:
      return "Array";
    case AttrKind::kInts:
      return "std::vector<int64_t>";
    case AttrKind::kFloats:
      return "std::vector<double>";
    case AttrKind::kStrings:
      return "std::vector<std::string>";
    case AttrKind::kDTypes:
      return "std::vector<DType>";
    case AttrKind::kShapes:
      return "std::vector<PartialShape>";
    case AttrKind::kNone:
      break;
  }
  return "AttrValue";
}

bool PassedByValue(AttrKind kind) {
  return kind == AttrKind::kBool || kind == AttrKind::kInt ||
         kind == AttrKind::kFloat || kind == AttrKind::kDType;
}

// The value as C++ source.
std::string Cpp(bool v) { return v ? "true" : "false"; }
std::string Cpp(int64_t v) {
  if (v == INT64_MIN) return "INT64_MIN";
  return std::to_string(v);
}
std::string Cpp(double v) {
  const char* limits = "std::numeric_limits<double>::";
  if (std::isnan(v)) return StrCat(limits, "quiet_NaN()");
  if (std::isinf(v)) return StrCat(v < 0 ? "-" : "", limits, "infinity()");
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v);
  std::string_view shown = text;
  bool whole = shown.find_first_of(".e") == std::string_view::npos;
  return StrCat(shown, whole ? ".0" : "");
}
std::string Cpp(const std::string& v) {
  return StrCat("\"", EscapeString(v), "\"");
}
std::string Cpp(DType v) {
  return StrCat("static_cast<DType>(", static_cast<int>(v), ")");
}
std::string Cpp(const PartialShape& v) {
  if (!v.rank_known()) return "PartialShape()";
  if (v.rank() == 0) return "PartialShape::Scalar()";
  return StrCat("PartialShape{", Join(v.dims(), ", "), "}");
}
template <class T>
std::string Cpp(const std::vector<T>& v) {
  std::vector<std::string> parts;
  for (const T& x : v) parts.push_back(Cpp(x));
  return StrCat("{", Join(parts, ", "), "}");
}
std::string Cpp(const Array&) { return "{}"; }
std::string Cpp(std::monostate) { return "{}"; }

void AppendComment(std::string& out, std::string_view indent,
                   std::string_view text) {
  constexpr size_t kWidth = 80;
  while (!text.empty()) {
    size_t room = kWidth - indent.size() - 3;
    size_t end = text.size();
    if (end > room) {
      end = text.rfind(' ', room);
      if (end == std::string_view::npos || end == 0) end = text.find(' ');
      if (end == std::string_view::npos) end = text.size();
    }
    StrAppend(out, indent, "// ", text.substr(0, end), "\n");
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

void AppendOptions(std::string& out, const OpRecord& op) {
  // In a namespace of their own: sluice::PrintOptions is about graphs.
  StrAppend(out, "namespace op_options {\nstruct ", op.name, " {\n");
  for (const AttrSpec& attr : op.attrs) {
    if (attr.default_value.kind() == AttrKind::kNone) continue;
    std::string doc = attr.doc;
    if (!attr.choices.empty()) {
      StrAppend(doc, doc.empty() ? "" : " ", "(", Join(attr.choices, ", "),
                ")");
    }
    AppendComment(out, "  ", doc);
    std::string value = std::visit([](const auto& v) { return Cpp(v); },
                                   attr.default_value.variant());
    // Braced lists initialise directly; everything else by assignment.
    StrAppend(out, "  ", CppType(attr.kind), " ", ParameterName(attr.name),
              value[0] == '{' ? "" : " = ", value, ";\n");
  }
  out += "};\n}  // namespace op_options\n";
}

enum class Returns { kOperation, kTensor, kStruct, kVector };
Returns ReturnsOf(const OpRecord& op) {
  for (const ArgSpec& o : op.outputs) {
    if (o.list) return Returns::kVector;
  }
  return op.outputs.empty()       ? Returns::kOperation
         : op.outputs.size() == 1 ? Returns::kTensor
                                  : Returns::kStruct;
}

// What a caller gives: not the iteration a random op draws for, which only
// gradients say.
std::vector<ArgSpec> OperandsOf(const OpRecord& op) {
  std::vector<ArgSpec> operands = op.inputs;
  if (op.random && !operands.empty() && operands.back().list) {
    operands.pop_back();
  }
  return operands;
}

// The operands as one range for the call: statements, then the expression.
std::string AppendOperands(std::string& out, const OpRecord& op) {
  const std::vector<ArgSpec> inputs = OperandsOf(op);
  if (inputs.empty()) return "{}";
  if (inputs.size() == 1 && inputs[0].list) {
    return StrCat(ParameterName(inputs[0].name), ".list()");
  }
  bool lists = false;
  std::vector<std::string> names;
  for (const ArgSpec& in : inputs) {
    lists = lists || in.list;
    names.push_back(ParameterName(in.name));
  }
  if (!lists) {
    StrAppend(out, "  const Operand operands[] = {", Join(names, ", "), "};\n");
    return "operands";
  }
  out += "  std::vector<Operand> operands;\n";
  for (size_t i = 0; i < names.size(); ++i) {
    if (inputs[i].list) {
      StrAppend(out, "  operands.insert(operands.end(), ", names[i],
                ".list().begin(), ", names[i], ".list().end());\n");
    } else {
      StrAppend(out, "  operands.push_back(", names[i], ");\n");
    }
  }
  return "operands";
}

struct Parameter {
  std::string text;           // "const Operand& x"
  std::string default_value;  // "{}"; empty: none
};

// What the C++ function of an op takes, and what it passes on as attributes.
struct Function {
  std::vector<Parameter> parameters;
  std::vector<std::string> attrs;  // "{\"axis\", options.axis}"
  bool has_options = false;
};

Function FunctionOf(const OpRecord& op) {
  Function f;
  for (const ArgSpec& in : OperandsOf(op)) {
    f.parameters.push_back(
        {StrCat(in.list ? "const OperandList& " : "const Operand& ",
                ParameterName(in.name)),
         ""});
  }
  for (const AttrSpec& attr : op.attrs) {
    std::string name = ParameterName(attr.name);
    if (attr.default_value.kind() != AttrKind::kNone) {
      f.has_options = true;
      f.attrs.push_back(StrCat("{\"", attr.name, "\", options.", name, "}"));
      continue;
    }
    bool by_value = PassedByValue(attr.kind);
    // Sizes that make no shape throw; a PartialShape would take them as given.
    bool shape = attr.kind == AttrKind::kShape;
    f.parameters.push_back({StrCat(by_value ? "" : "const ",
                                   shape ? "PartialSizes" : CppType(attr.kind),
                                   by_value ? " " : "& ", name),
                            ""});
    f.attrs.push_back(
        StrCat("{\"", attr.name, "\", ", name, shape ? ".shape()}" : "}"));
  }
  if (f.has_options) {
    f.parameters.push_back(
        {StrCat("const op_options::", op.name, "& options"), "{}"});
  }
  f.parameters.push_back({"std::string_view name", "{}"});
  f.parameters.push_back(
      {"std::source_location where", "std::source_location::current()"});
  return f;
}

// "Tensor abs(const Operand& x, ...)".
void AppendHead(std::string& out, const OpRecord& op, const Function& f,
                bool with_defaults) {
  Returns returns = ReturnsOf(op);
  std::string type = returns == Returns::kOperation ? "Operation"
                     : returns == Returns::kTensor  ? "Tensor"
                     : returns == Returns::kVector  ? "std::vector<Tensor>"
                                                    : "op_results::" + op.name;
  StrAppend(out, type, " ", FunctionName(op), "(");
  const char* between = "\n    ";
  for (const Parameter& p : f.parameters) {
    StrAppend(out, between, p.text);
    if (with_defaults && !p.default_value.empty()) {
      StrAppend(out, " = ", p.default_value);
    }
    between = ",\n    ";
  }
  out += ")";
}

void AppendDeclaration(std::string& out, const OpRecord& op) {
  Function f = FunctionOf(op);
  if (f.has_options) AppendOptions(out, op);
  if (ReturnsOf(op) == Returns::kStruct) {
    StrAppend(out, "namespace op_results {\nstruct ", op.name, " {\n");
    for (const ArgSpec& o : op.outputs) {
      StrAppend(out, "  Tensor ", ParameterName(o.name), ";\n");
    }
    out += "};\n}  // namespace op_results\n";
  }
  AppendHead(out, op, f, /*with_defaults=*/true);
  out += ";\n";
}

void AppendDefinition(std::string& out, const OpRecord& op) {
  Function f = FunctionOf(op);
  AppendHead(out, op, f, /*with_defaults=*/false);
  out += " {\n";
  std::string operands = AppendOperands(out, op);
  Returns returns = ReturnsOf(op);
  std::string how = returns == Returns::kOperation ? "CallOperation"
                    : returns == Returns::kTensor  ? "CallOne"
                                                   : "CallMany";
  std::string attrs =
      f.attrs.empty() ? "None()" : StrCat("{", Join(f.attrs, ", "), "}");
  std::string call = StrCat("front_internal::", how, "(\n      \"", op.name,
                            "\", ", operands, ", ", attrs, ", name, where)");
  if (returns == Returns::kStruct) {
    StrAppend(out, "  std::vector<Tensor> made = ", call, ";\n  return {");
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      StrAppend(out, i ? ", " : "", "made[", i, "]");
    }
    out += "};\n}\n";
  } else {
    StrAppend(out, "  return ", call, ";\n}\n");
  }
}

constexpr std::string_view kTopLines =
    "// One function per op, written by sluice-gen-ops from the op records.\n"
    "// Do not edit: change the record, in src/sluice/ops, instead.\n";

}  // namespace

std::string OpsHeader(std::span<const OpRecord* const> ops) {
  std::string out(kTopLines);
  out +=
      "#pragma once\n\n"
      "#include <cstdint>\n#include <limits>\n#include <source_location>\n"
      "#include <string>\n#include <string_view>\n#include <vector>\n\n"
      "#include \"sluice/eager/operand.h\"\n"
      "#include \"sluice/eager/sizes.h\"\n\n"
      "namespace sluice {\n";
  for (const OpRecord* op : ops) {
    if (!HasFunction(*op)) continue;
    out += "\n";
    AppendComment(out, "", op->doc);
    AppendComment(out, "", StrCat("  ", op->Signature()));
    AppendDeclaration(out, *op);
  }
  out += "\n}  // namespace sluice\n";
  return out;
}

std::string OpsSource(std::span<const OpRecord* const> ops) {
  std::string out(kTopLines);
  out +=
      "#include \"sluice/ops.h\"\n\n"
      "#include \"sluice/eager/call.h\"\n\n"
      "namespace sluice {\n\n"
      "static const Attrs& None() {\n"
      "  static const Attrs none;\n"
      "  return none;\n"
      "}\n";
  for (const OpRecord* op : ops) {
    if (!HasFunction(*op)) continue;
    out += "\n";
    AppendDefinition(out, *op);
  }
  out += "\n}  // namespace sluice\n";
  return out;
}

}  // namespace sluice
