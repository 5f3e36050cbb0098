// One imperative call: find the op's kernel for these types, run it, and record
// it when a gradient may be asked for.
#pragma once

#include "sluice/eager/tape.h"

namespace sluice {

using EagerResults = SmallVector<EagerRef, 4>;

// Errors name op and operands; the caller adds the user's line. Inputs are
// looked at during the call; counting them would cost as much as a tiny op.
using EagerPointers = std::span<EagerValue* const>;
Status EagerCall(const OpRecord& op, EagerPointers inputs, const Attrs& attrs,
                 const SourceLine& line, EagerResults& results);
Status EagerCall(const OpRecord& op, std::span<const EagerRef> inputs,
                 const Attrs& attrs, const SourceLine& line,
                 EagerResults& results);

// "at model.cc:41  a = "fc1.out" f32[2,3], b = f32[4,5]": the line below an
// error of such a call.
std::string CallLine(const OpRecord& op, EagerPointers inputs,
                     const SourceLine& line);

// An error when elements of the target share memory with one another, as those
// of a broadcast value do, so that they cannot be written each by itself.
Status CheckWritable(std::string_view op, const EagerValue& target);

// target = op(target, others...), written over the elements of target.
Status EagerCallInPlace(const OpRecord& op, const EagerRef& target,
                        std::span<const EagerRef> others, const Attrs& attrs,
                        const SourceLine& line);

}  // namespace sluice
