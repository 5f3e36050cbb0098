// The text of docs/ops.md, the ops for users, and of docs/internal_ops.md,
// those that gradients, passes and the runtime make; written from the op
// records.
#pragma once

#include <span>
#include <string>

#include "sluice/op/record.h"

namespace sluice {

std::string OpsMarkdown(std::span<const OpRecord* const> ops);
std::string InternalOpsMarkdown(std::span<const OpRecord* const> ops);

}  // namespace sluice
