// RecordLoop: a while loop of user code as one node of the graph that is being
// recorded. Called on the thread that records.
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include "sluice/trace/record_region.h"

namespace sluice::front_internal {

// Thrown when the condition's code draws random numbers or writes a tensor:
// such effects must become part of what the loop carries.
struct ConditionWrites {};

std::vector<Tensor> RecordLoop(const Code& cond, const Code& body,
                               const std::vector<Tensor>& inits,
                               const std::string& structure,
                               const LoopSettings& settings,
                               std::source_location where);

// Throw unless the condition returns a bool, and the body as many values as it
// was given, of the same types.
void CheckPredicate(const CodeResult& pred, std::source_location where);
void CheckCarried(const CodeResult& next, const std::vector<Tensor>& carried,
                  const std::string& structure, std::source_location where);

}  // namespace sluice::front_internal
