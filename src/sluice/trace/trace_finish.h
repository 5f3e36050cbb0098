// The end of a recording (trace/function_trace.h): what the Capture saw becomes
// what every call hands out, writes and keeps.
//
// While the recording is open, on its thread.
#pragma once

#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "sluice/trace/function_trace.h"

namespace sluice::front_internal {

// What of it gradients flow through, by Trace::fetched. Throws where what a
// call does cannot be known.
std::vector<std::pair<size_t, EagerRef>> FinishTrace(
    Trace& trace, Capture& capture, const std::vector<Tensor>& results,
    const std::string& name, std::source_location where);

// Changes whenever a hook is registered or taken away.
int HooksOf(const EagerValue& value);

}  // namespace sluice::front_internal
