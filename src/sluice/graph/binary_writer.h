// WriteBinary: a graph as compact bytes, for files and messages.
//
//   "SLGR" version | strings | name | root region | checksum (8 bytes)
//
// Numbers are varints (signed ones zigzagged), texts that repeat are indices
// into the table of strings, elements of arrays are raw little-endian. Nodes
// are numbered in the order in which they are complete, a region's arguments
// when the region begins, a function before its region; a reference is the
// distance back to a number. What a Merge gets from a NextIteration below it is
// written as 0, and the NextIteration names the Merge. All attributes are
// written, defaults too: a stored graph keeps its meaning when a default
// changes.
#pragma once

#include <string>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

inline constexpr std::string_view kBinaryMagic = "SLGR";
inline constexpr uint64_t kBinaryVersion = 1;

std::string WriteBinary(const Graph& graph);

// Of everything before the checksum. A change of one byte always changes it.
uint64_t BinaryChecksum(std::string_view bytes);

}  // namespace sluice
