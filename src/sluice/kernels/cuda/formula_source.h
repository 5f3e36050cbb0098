// The source of an elementwise op's formula for another device's compiler:
// those declarations of the op's file that concern only numbers.
//
// Plain functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// The declarations in `text`, an op's file, between "namespace {" and its end,
// that do not refer to host types (lists of samples, contexts, arrays).
std::string NumberDeclarations(std::string_view text);

// The same for the embedded file at the end of `path`, which has the op's
// record. Empty if it is not embedded.
std::string FormulaSource(std::string_view path);

// A formula's name without the namespaces that compilers add:
// "sluice::(anonymous namespace)::ClampFn<true>" becomes "ClampFn<true>".
std::string PlainFormulaName(std::string_view name);

}  // namespace sluice
