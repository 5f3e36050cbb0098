// Families of elementwise ops (ops/family.h): the common parts of the records
// of y = f(x) and y = f(a, b).
#pragma once

#include <utility>

#include "sluice/kernels/samples.h"
#include "sluice/ops/family.h"

namespace sluice {

// y = f(x). The op names its types.
inline OpDefinition& UnaryFunction(OpDefinition&& op, std::string_view name) {
  return op.input("x: T").output("y: T").rejects(UnaryRejects(name));
}
// The same, for floating-point numbers.
inline OpDefinition& FloatFunction(OpDefinition&& op, std::string_view name) {
  return UnaryFunction(std::move(op), name).types("T", kFloats);
}

// y = f(a, b), with broadcasting. The op names its types.
inline OpDefinition& BinaryFunction(OpDefinition&& op, std::string_view name) {
  return op.input("a: T").input("b: T").output("y: T").rejects(
      BinaryRejects(name));
}

}  // namespace sluice
