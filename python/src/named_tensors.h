// StateDict as a Python dict of tensors by name, in the same order.
#pragma once

#include "common.h"
#include "sluice/front/state_dict.h"

namespace sluice::py {

// The tensors are those of the StateDict, not copies.
nb::dict DictOf(const StateDict& state);

// From any mapping of names to values that ops accept as tensors. Throws
// TypeError; `what` names the mapping in messages.
StateDict StateOf(nb::handle mapping, std::string_view what);

}  // namespace sluice::py
