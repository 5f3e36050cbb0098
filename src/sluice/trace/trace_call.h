// Nodes that a recording adds in addition to the recorded calls, which
// Capture::Call adds: the counterpart of eager_call.h for recordings.
#pragma once

#include "sluice/trace/capture.h"

namespace sluice {

// Adds a node that the tape does not see, in the open region. Throws.
Value TraceNode(Capture& capture, std::string_view op,
                std::vector<Value> inputs, const Attrs& attrs);
// The value, as a constant for gradients.
Value TraceStopped(Capture& capture, Value value);
void TraceEffect(Capture& capture, std::string_view op,
                 std::vector<Value> inputs, const Attrs& attrs);
Value TraceConstant(Capture& capture, const Array& value);

// x with the viewed part replaced: the inverse of a view step. Runs eagerly or
// is traced, as x is.
Result<EagerRef> WriteBack(const ViewStep& step, const EagerRef& x,
                           const EagerRef& part, const SourceLine& line);

}  // namespace sluice
