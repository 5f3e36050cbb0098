// The end of a recording (trace/function_trace.h): turns what the Capture saw
// into what every call returns, writes and keeps.
//
// Called while the recording is open, on its thread.
#pragma once

#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "sluice/trace/function_trace.h"

namespace sluice::front_internal {

// Returns the fetches that gradients flow through, by index in Trace::fetched.
// Throws where the effect of a call cannot be known.
std::vector<std::pair<size_t, EagerRef>> FinishTrace(
    Trace& trace, Capture& capture, const std::vector<Tensor>& results,
    const std::string& name, std::source_location where);

// A number that changes whenever a hook is registered or removed.
int HooksOf(const EagerValue& value);

}  // namespace sluice::front_internal
