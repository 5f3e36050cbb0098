// The C++ function of an op: which ops have one and what it is called. The
// header of functions, the documentation and the bindings agree by asking
// here.
#pragma once

#include <string>
#include <string_view>

#include "sluice/op/record.h"

namespace sluice {

// Ops of state, of lists, of graph structure and with regions have hand-written
// faces (variable(), List, placeholder(), ...), internal ones have none; all
// others have a function.
bool HasFunction(const OpRecord& op);

// "softmax_cross_entropy" for SoftmaxCrossEntropy; "matmul" where numpy runs
// words together.
std::string FunctionName(const OpRecord& op);

// The folder of ops/ the record is written in: "math", "array", ...
std::string TopicOf(const OpRecord& op);

// `name` itself, or with an underscore where C++ or the function's own
// arguments have taken it.
std::string ParameterName(std::string_view name);

}  // namespace sluice
