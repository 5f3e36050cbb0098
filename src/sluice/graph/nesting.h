// The maximum nesting of regions when a graph is built, or read from text or
// bytes. Code that walks regions recurses, and this bounds the recursion.
#pragma once

namespace sluice {

inline constexpr int kMaxNesting = 256;

}  // namespace sluice
