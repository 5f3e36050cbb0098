// Python objects as attributes of ops, by the kind the record declares.
#pragma once

#include "common.h"
#include "sluice/op/record.h"

namespace sluice::py {

// Throws TypeError or ValueError that names op and attribute.
AttrValue AttrFromPython(const OpRecord& op, const AttrSpec& spec,
                         nb::handle object);

// A list of integers, or a single one: axes, sizes. Also accepts tensors of
// integers.
std::vector<int64_t> IntsFromPython(nb::handle object, std::string_view what);

// The inverse, for defaults and graphs.
nb::object AttrToPython(const AttrValue& value);

}  // namespace sluice::py
