// Between the tensors of programs and the arrays files are made of. Internal
// to io/.
#pragma once

#include "sluice/formats/safetensors.h"
#include "sluice/front/state_dict.h"

namespace sluice::io {

// The elements as they are now, not copied. Throws for a tensor that is part
// of a graph, sparse, or holds nothing, by its name.
std::vector<NamedArray> ArraysOf(const StateDict& state);
StateDict StateOf(std::vector<NamedArray> arrays);

}  // namespace sluice::io
