// Checking a call against its record: attributes complete and of the right
// kind, number and dtypes of inputs, dtypes and number of outputs, shapes.
// Every way of making a node or running an op goes through here, so the
// messages are the same everywhere.
#pragma once

#include <span>
#include <vector>

#include "sluice/op/record.h"

namespace sluice {

struct ResolvedCall {
  Attrs attrs;  // in the record's order, defaults filled in
  std::vector<DType> out_dtypes;
};

// Errors name the op, what it got and what it wanted.
Result<ResolvedCall> ResolveCall(const OpRecord& op, const Attrs& attrs,
                                 std::span<const DType> in_dtypes);

// Runs the shape function. `values` may be shorter than the inputs; missing or
// null means not known.
Result<std::vector<PartialShape>> InferShapes(
    const OpRecord& op, const Attrs& attrs, std::span<const DType> in_dtypes,
    std::span<const PartialShape> in_shapes,
    std::span<const Array* const> values, std::span<const DType> out_dtypes);

// The error as that op's own: "[Op] " before a message that names no op yet,
// such as those of shapes and memory. OK stays OK.
Status InOp(const OpRecord& op, Status status);

}  // namespace sluice
