// WriteBinary: writes a graph as compact bytes, for files and messages.
//
//   "SLGR" version | strings | name | root region | checksum (8 bytes)
//
// Numbers are varints (signed ones zigzagged), repeated texts are indices into
// the table of strings, elements of arrays are raw little-endian. Nodes are
// numbered in the order in which they are complete: a region's arguments when
// the region begins, a function before its region; a reference is the distance
// back to a number. An input of a Merge from a NextIteration below is written
// as 0, and the NextIteration names the Merge. All attributes are written,
// including defaults, so that a stored graph keeps its meaning when a default
// changes.
#pragma once

#include <string>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

inline constexpr std::string_view kBinaryMagic = "SLGR";
inline constexpr uint64_t kBinaryVersion = 1;

std::string WriteBinary(const Graph& graph);

// The checksum of all preceding bytes. A change of one byte always changes it.
uint64_t BinaryChecksum(std::string_view bytes);

}  // namespace sluice
