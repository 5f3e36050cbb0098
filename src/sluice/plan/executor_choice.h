// Which executor a plan is made for.
#pragma once

#include <cstdint>

namespace sluice {

enum class ExecutorChoice : uint8_t {
  kAuto,    // islands where they pay, tokens for the rest
  kTape,    // islands wherever possible, single nodes too
  kTokens,  // no islands
};

}  // namespace sluice
