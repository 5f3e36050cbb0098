// Joins a kernel's source and its headers into one text.
//
// A plain function; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sluice/kernels/cuda/embedded_text.h"

namespace sluice {

// Each header is inserted where it is first included, `first` before everything
// unless empty. Headers that are not in `headers` are omitted. Lines keep their
// numbers and files in compiler messages. `headers` is keyed by the names in
// include directives.
std::string JoinSource(std::string_view source, std::string_view first,
                       std::span<const EmbeddedText> headers);

}  // namespace sluice
