#include "sluice/op/op_function.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace sluice {

namespace {

// Words that may not name a function or parameter, sorted.
constexpr std::string_view kTaken[] = {
    "and",      "any",      "array",     "auto",     "bool",      "break",
    "c64",      "call",     "case",      "catch",    "char",      "class",
    "concept",  "const",    "constant",  "continue", "default",   "delete",
    "do",       "double",   "else",      "enum",     "explicit",  "export",
    "extern",   "false",    "float",     "for",      "friend",    "front",
    "full",     "goto",     "if",        "inline",   "int",       "long",
    "mutable",  "name",     "namespace", "new",      "not",       "ones",
    "operator", "options",  "or",        "private",  "protected", "public",
    "register", "requires", "return",    "short",    "signed",    "sizeof",
    "static",   "string",   "struct",    "switch",   "template",  "this",
    "throw",    "true",     "try",       "typedef",  "typename",  "union",
    "unsigned", "using",    "variable",  "virtual",  "void",      "volatile",
    "while",    "xor",      "zeros",
};

std::string Free(std::string text) {
  if (std::binary_search(std::begin(kTaken), std::end(kTaken),
                         std::string_view(text))) {
    text += '_';
  }
  return text;
}

bool HasReferences(const OpRecord& op) {
  if (op.handle || op.effect != Effect::kNone) return true;
  for (const auto* args : {&op.inputs, &op.outputs}) {
    for (const ArgSpec& arg : *args) {
      if (IsReference(DTypeFromName(arg.type))) return true;
    }
  }
  return false;
}

}  // namespace

bool HasFunction(const OpRecord& op) {
  if (op.internal || op.structural) return false;
  if (!op.regions.empty() || HasReferences(op)) return false;
  for (const AttrSpec& attr : op.attrs) {
    if (attr.kind == AttrKind::kArray) return false;  // Const: constant()
  }
  return true;
}

std::string FunctionName(const OpRecord& op) {
  if (!op.function.empty()) return op.function;
  // A capital letter starts a word, unless it continues a run of capitals or
  // follows the digit it belongs to, as in Conv2D.
  std::string out;
  auto upper = [&](size_t i) {
    return i < op.name.size() &&
           std::isupper(static_cast<unsigned char>(op.name[i])) != 0;
  };
  auto dimension = [&](size_t i) {
    return i > 0 && op.name[i] == 'D' && op.name[i - 1] >= '1' &&
           op.name[i - 1] <= '9';
  };
  for (size_t i = 0; i < op.name.size(); ++i) {
    if (dimension(i)) {
      out += 'd';
      continue;
    }
    bool ends_run = upper(i) && i + 1 < op.name.size() && !upper(i + 1);
    if (i > 0 && upper(i) && (!upper(i - 1) || ends_run)) out += '_';
    out +=
        static_cast<char>(std::tolower(static_cast<unsigned char>(op.name[i])));
  }
  return Free(out);
}

std::string TopicOf(const OpRecord& op) {
  std::string_view file = op.line.file;
  size_t end = file.rfind('/');
  if (end == std::string_view::npos) return "other";
  size_t begin = file.rfind('/', end - 1);
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  return std::string(file.substr(begin, end - begin));
}

std::string ParameterName(std::string_view name) {
  if (name == "where") return "where_";
  return Free(std::string(name));
}

}  // namespace sluice
