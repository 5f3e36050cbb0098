// Modules as text.
#include <cxxabi.h>

#include <cstdlib>
#include <ostream>
#include <typeinfo>

#include "sluice/base/strings.h"
#include "sluice/nn/module_walk.h"

namespace sluice::nn {

std::string Module::type_name() const {
  int failed = 0;
  char* text =
      abi::__cxa_demangle(typeid(*this).name(), nullptr, nullptr, &failed);
  std::string name = text && failed == 0 ? text : "Module";
  std::free(text);
  // Without namespaces, which may have parameters of templates in them.
  size_t begin = 0, depth = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    char c = name[i];
    if (c == '<' || c == '(') ++depth;
    if ((c == '>' || c == ')') && depth > 0) --depth;
    if (c == ':' && name[i + 1] == ':' && depth == 0) begin = i + 2;
  }
  return name.substr(begin);
}

std::string Module::describe() const {
  return StrCat(type_name(), "(", extra_repr(), ")");
}

namespace {

void Print(const Module& module, const std::string& indent, std::string& out) {
  auto children = ModuleWalk::Children(module);
  if (children.empty()) {
    out += module.describe();
    return;
  }
  StrAppend(out, module.type_name(), "(");
  if (std::string extra = module.extra_repr(); !extra.empty()) {
    StrAppend(out, extra);
  }
  out += '\n';
  for (const auto& [name, child] : children) {
    StrAppend(out, indent, "  (", name, "): ");
    Print(*child, indent + "  ", out);
    out += '\n';
  }
  StrAppend(out, indent, ")");
}

}  // namespace

std::string Module::ToString() const {
  std::string out;
  Print(*this, "", out);
  return out;
}

std::string Module::path() const {
  std::string path;
  for (const Module* at = this; !at->parents_.empty();) {
    const Module* parent = at->parents_.front();
    for (const Child& c : parent->children_) {
      if (c.module != at) continue;
      path = path.empty() ? c.name : StrCat(c.name, ".", path);
      break;
    }
    at = parent;
  }
  return path;
}

std::ostream& operator<<(std::ostream& out, const Module& module) {
  return out << module.ToString();
}

}  // namespace sluice::nn
