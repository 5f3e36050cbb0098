// StateDict as Python's dict of tensors by name, in the same order.
#pragma once

#include "common.h"
#include "sluice/front/state_dict.h"

namespace sluice::py {

// The tensors are those of the StateDict, not copies.
nb::dict DictOf(const StateDict& state);

// Of any mapping from names to what an op takes as a tensor. Throws TypeError;
// `what` names the mapping in messages.
StateDict StateOf(nb::handle mapping, std::string_view what);

}  // namespace sluice::py
