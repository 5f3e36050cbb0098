// The C++ function of an op: which ops have one, and its name. The header of
// functions, the documentation and the bindings all use this.
#pragma once

#include <string>
#include <string_view>

#include "sluice/op/record.h"

namespace sluice {

// Ops of state, of lists, of graph structure and with regions have hand-written
// interfaces (variable(), List, placeholder(), ...), internal ones have none;
// all others have a function.
bool HasFunction(const OpRecord& op);

// "softmax_cross_entropy" for SoftmaxCrossEntropy; "matmul" where numpy joins
// words.
std::string FunctionName(const OpRecord& op);

// The folder of ops/ that defines the op: "math", "array", ...
std::string TopicOf(const OpRecord& op);

// `name` itself, or with an underscore if C++ or the function's own arguments
// use it.
std::string ParameterName(std::string_view name);

}  // namespace sluice
