// OpsHeader and OpsSource: the text of <sluice/ops.h>, which declares one C++
// function per op, and of the file that defines them, written from the records
// of the ops in this program. The build runs it (apps/sluice_gen_ops.cc), so a
// new op has its function at once. Programs read only declarations, which is
// what keeps <sluice/sluice.h> quick to compile.
#pragma once

#include <span>
#include <string>

#include "sluice/op/record.h"

namespace sluice {

std::string OpsHeader(std::span<const OpRecord* const> ops);
std::string OpsSource(std::span<const OpRecord* const> ops);

}  // namespace sluice
