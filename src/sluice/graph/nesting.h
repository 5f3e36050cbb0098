// How deep regions may be nested when a graph is built, or read back from
// text or bytes. Code that walks regions recurses, and this bounds the
// recursion.
#pragma once

namespace sluice {

inline constexpr int kMaxNesting = 256;

}  // namespace sluice
