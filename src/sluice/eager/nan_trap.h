// The check behind sl::NanTrap.
#pragma once

#include "sluice/eager/eager_op.h"

namespace sluice {

// Errors: an output holds NaN or infinity. The message says which element, and
// for every input its type, its range and how much of it is not finite.
Status CheckFinite(const EagerOp& op, ArrayPointers inputs,
                   std::span<const Array> outputs);

}  // namespace sluice
