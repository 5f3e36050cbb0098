// ReadBinary: a graph from the bytes WriteBinary makes.
//
// The bytes may come from anyone. Nothing is believed: every count is held
// against the bytes that are left before anything is allocated, and every node
// goes through Graph::Add, so the result is as sound as what a builder makes,
// or an error "graph bytes at OFFSET: ...".
#pragma once

#include <memory>
#include <string_view>

#include "sluice/graph/graph.h"
#include "sluice/graph/nesting.h"
#include "sluice/graph/node.h"

namespace sluice {

struct BinaryReadOptions {
  // Off only in tests that alter bytes to reach the decoder behind it.
  bool check_sum = true;
  int max_nesting = kMaxNesting;  // of regions
};

Result<std::unique_ptr<Graph>> ReadBinary(std::string_view bytes,
                                          BinaryReadOptions options = {});

}  // namespace sluice
