// Nodes that a recording adds beside those of the calls it is handed, which
// Capture::Call adds: what eager_call.h is when calls run at once.
#pragma once

#include "sluice/trace/capture.h"

namespace sluice {

// Nodes that no tape hears of, in the region that is open: throws.
Value TraceNode(Capture& capture, std::string_view op,
                std::vector<Value> inputs, const Attrs& attrs);
// The value, for gradients a constant.
Value TraceStopped(Capture& capture, Value value);
void TraceEffect(Capture& capture, std::string_view op,
                 std::vector<Value> inputs, const Attrs& attrs);
Value TraceConstant(Capture& capture, const Array& value);

// x with its part replaced: the opposite of a view's step. Runs at once or is
// traced, as x is.
Result<EagerRef> WriteBack(const ViewStep& step, const EagerRef& x,
                           const EagerRef& part, const SourceLine& line);

}  // namespace sluice
