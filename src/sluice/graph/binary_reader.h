// ReadBinary: reads a graph from the bytes that WriteBinary produces.
//
// The bytes are untrusted: every count is checked against the remaining bytes
// before anything is allocated, and every node goes through Graph::Add, so the
// result is as valid as a built graph, or an error "graph bytes at OFFSET:
// ...".
#pragma once

#include <memory>
#include <string_view>

#include "sluice/graph/graph.h"
#include "sluice/graph/nesting.h"
#include "sluice/graph/node.h"

namespace sluice {

struct BinaryReadOptions {
  // Off only in tests that alter bytes to test the decoder behind the check.
  bool check_sum = true;
  int max_nesting = kMaxNesting;  // of regions
};

Result<std::unique_ptr<Graph>> ReadBinary(std::string_view bytes,
                                          BinaryReadOptions options = {});

}  // namespace sluice
