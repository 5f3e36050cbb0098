// A kernel's source and the headers it includes as one text.
//
// A plain function; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sluice/kernels/cuda/embedded_text.h"

namespace sluice {

// Each header where it is first included, `first` before all where that is not
// empty; headers that are not among these are left out. Lines keep the numbers
// and files they have for messages of a compiler. `headers`: by the names that
// they are included by.
std::string JoinSource(std::string_view source, std::string_view first,
                       std::span<const EmbeddedText> headers);

}  // namespace sluice
