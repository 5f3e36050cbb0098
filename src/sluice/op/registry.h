// The registry: every op record linked into this program, by name. Filled
// before main(), read-only afterwards, so lookups need no lock.
#pragma once

#include <string_view>
#include <vector>

#include "sluice/op/record.h"

namespace sluice {

// Null if there is no such op.
const OpRecord* FindOp(std::string_view name);
// The same; an error is NotFound, which names the closest registered op.
Result<const OpRecord*> LookupOp(std::string_view name);
// Sorted by name.
std::vector<const OpRecord*> AllOps();

// Errors in the records: kernels without a definition, names defined twice,
// records without doc, shape function or samples. Empty if there are none; the
// sweep test prints it.
std::vector<std::string> RegistryProblems();

}  // namespace sluice
