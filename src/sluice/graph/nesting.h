// How deep regions may be nested: what a graph can be built with, its text and
// its bytes can be read back with. Whoever walks regions does it by recursion,
// which this bounds.
#pragma once

namespace sluice {

inline constexpr int kMaxNesting = 256;

}  // namespace sluice
