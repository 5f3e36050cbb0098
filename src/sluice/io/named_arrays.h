// Conversion between tensors and the arrays stored in files. Internal to io/.
#pragma once

#include "sluice/formats/safetensors.h"
#include "sluice/front/state_dict.h"

namespace sluice::io {

// The current elements, without a copy. Throws for a tensor that is part of a
// graph, sparse, or empty, with its name.
std::vector<NamedArray> ArraysOf(const StateDict& state);
StateDict StateOf(std::vector<NamedArray> arrays);

}  // namespace sluice::io
