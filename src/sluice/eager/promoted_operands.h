// Operands of a call brought to the types it is computed in (eager/promote.h):
// i32[3] + f64[3] is computed as f64, as it is in Python.
//
// Pure functions; the conversions are calls of Cast, which gradients see.
#pragma once

#include <optional>
#include <source_location>
#include <span>
#include <vector>

#include "sluice/eager/operand.h"
#include "sluice/op/record.h"

namespace sluice::front_internal {

struct PromotedOperands {
  std::vector<Operand> operands;
  // Results are to be of this type again; kInvalid: they are as they should be.
  DType restored = DType::kInvalid;
};

// Nothing where operands agree already, as they mostly do, or cannot be brought
// together: the op itself says what is wrong then.
std::optional<PromotedOperands> PromoteOperands(
    const OpRecord& op, std::span<const Operand> operands,
    std::source_location where);

// Whether PromoteOperands has anything to look at; cheap.
bool MayPromote(std::span<const Operand> operands);

}  // namespace sluice::front_internal
