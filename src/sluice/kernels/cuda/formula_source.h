// The source of an elementwise op's formula, for a compiler of another device:
// of the op's file the declarations that are about numbers alone.
//
// Plain functions.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// The declarations in `text`, an op's file, between "namespace {" and its end,
// that name nothing of the host (lists of samples, contexts, arrays).
std::string NumberDeclarations(std::string_view text);

// The same of the embedded file `path` ends with, which has the op's record.
// Empty when it is not embedded.
std::string FormulaSource(std::string_view path);

// A formula's name without the namespaces a compiler puts before it:
// "sluice::(anonymous namespace)::ClampFn<true>" is "ClampFn<true>".
std::string PlainFormulaName(std::string_view name);

}  // namespace sluice
