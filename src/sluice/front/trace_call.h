// One call while a function is recorded: a node of the graph, and what the tape
// has to know of it. What eager_call.h is when calls run at once.
#pragma once

#include "sluice/front/eager_call.h"

namespace sluice {

// Errors name op and operands; the caller adds the user's line.
Status TraceCall(const OpRecord& op, std::span<const EagerRef> inputs,
                 const Attrs& attrs, const SourceLine& line,
                 EagerResults& results);

// target = op(target, others...), seen through every handle and view.
Status TraceInPlace(const OpRecord& op, const EagerRef& target,
                    std::span<const EagerRef> others, const Attrs& attrs,
                    const SourceLine& line);

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
