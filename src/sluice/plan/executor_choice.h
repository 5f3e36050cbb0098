// The kind of executor that a plan is built for. A plain enum.
#pragma once

#include <cstdint>

namespace sluice {

enum class ExecutorChoice : uint8_t {
  kAuto,    // islands where they pay off, tokens for the rest
  kTape,    // islands wherever possible, even for single nodes
  kTokens,  // no islands
};

}  // namespace sluice
