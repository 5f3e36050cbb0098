#include "sluice/kernels/cuda/formula_source.h"

#include <algorithm>
#include <vector>

#include "sluice/kernels/cuda/embedded_text.h"

namespace sluice {

namespace {

// Words that occur only in host code.
constexpr std::string_view kHostWords[] = {
    "std::vector", "std::string", "std::span", "Attrs",        "Context",
    "Sample",      "Reject",      "Array",     "SL_VECTORIZE", "DType",
    "Result<",     "Status",      "GradVar",   "long double",  "RefFn"};

// Whether the declaration contains that word; a constant with such a name
// (kAttrs) only contains names.
bool Says(std::string_view declaration, std::string_view word) {
  for (size_t at = 0; (at = declaration.find(word, at)) != declaration.npos;
       ++at) {
    if (at == 0 || declaration[at - 1] != 'k') return true;
  }
  return false;
}

bool OfNumbersAlone(std::string_view declaration) {
  return std::none_of(
      std::begin(kHostWords), std::end(kHostWords),
      [&](std::string_view word) { return Says(declaration, word); });
}

// Text without the parts before `begin` and from `end` on.
std::string_view Between(std::string_view text, std::string_view begin,
                         std::string_view end) {
  size_t at = text.find(begin);
  if (at == text.npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.rfind(end));
}

}  // namespace

std::string NumberDeclarations(std::string_view text) {
  std::string_view rest = Between(text, "\nnamespace {\n", "\n}  // namespace");
  std::string kept, declaration;
  int depth = 0;
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    if (declaration.empty() && line.find_first_not_of(" \n") == line.npos) {
      continue;
    }
    declaration += line;
    depth += static_cast<int>(std::count(line.begin(), line.end(), '{') -
                              std::count(line.begin(), line.end(), '}'));
    size_t last = line.find_last_not_of(" \n");
    bool ends = last != line.npos && (line[last] == ';' || line[last] == '}');
    if (depth > 0 || !ends) continue;
    if (OfNumbersAlone(declaration)) kept += declaration;
    declaration.clear();
  }
  return kept;
}

std::string FormulaSource(std::string_view path) {
  for (int i = 0; i < kNumEmbeddedTexts; ++i) {
    if (path.ends_with(kEmbeddedTexts[i].name)) {
      return NumberDeclarations(kEmbeddedTexts[i].text);
    }
  }
  return {};
}

std::string PlainFormulaName(std::string_view name) {
  std::string plain(name);
  for (std::string_view space :
       {"sluice"
        "::",
        "(anonymous namespace)::", "{anonymous}::", "<unnamed>::"}) {
    for (size_t at; (at = plain.find(space)) != plain.npos;) {
      plain.erase(at, space.size());
    }
  }
  return plain;
}

}  // namespace sluice
