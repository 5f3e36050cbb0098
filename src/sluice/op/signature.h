// Checks a call against its record: attributes are complete and of the right
// kind, number and dtypes of inputs, dtypes and number of outputs, shapes. All
// code that makes a node or runs an op goes through here, so the messages are
// the same everywhere.
#pragma once

#include <span>
#include <vector>

#include "sluice/op/record.h"

namespace sluice {

struct ResolvedCall {
  Attrs attrs;  // in the record's order, defaults filled in
  std::vector<DType> out_dtypes;
};

// Errors name the op, the given value and the expected one.
Result<ResolvedCall> ResolveCall(const OpRecord& op, const Attrs& attrs,
                                 std::span<const DType> in_dtypes);

// Runs the shape function. `values` may be shorter than the inputs; missing and
// null entries mean unknown.
Result<std::vector<PartialShape>> InferShapes(
    const OpRecord& op, const Attrs& attrs, std::span<const DType> in_dtypes,
    std::span<const PartialShape> in_shapes,
    std::span<const Array* const> values, std::span<const DType> out_dtypes);

// The error as an error of that op: adds "[Op] " to a message that does not
// name an op yet, such as those about shapes and memory. OK stays OK.
Status InOp(const OpRecord& op, Status status);

}  // namespace sluice
