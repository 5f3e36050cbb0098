// OpsHeader: the text of <sluice/ops.h>, one inline C++ function per op,
// written from the records of the ops in this program. The build runs it
// (apps/sluice_gen_ops.cc), so a new op has its function at once.
#pragma once

#include <span>
#include <string>

#include "sluice/op/record.h"

namespace sluice {

std::string OpsHeader(std::span<const OpRecord* const> ops);

}  // namespace sluice
