// KernelCall: one node's kernel made ready: what is the same at every launch.
// Made once for a plan or a program and read by any number of threads; the
// node's graph must outlive it.
#pragma once

#include <memory>
#include <vector>

#include "sluice/graph/node.h"
#include "sluice/op/block.h"
#include "sluice/op/known_shapes.h"

namespace sluice {

struct KernelCall {
  const Node* node = nullptr;
  NodeInfo info;
  std::vector<DType> out_dtypes;
  std::unique_ptr<KnownShapes> shapes;  // of its outputs, or null
  BlockKernel block;                    // of an elementwise op
};

// What is known of the outputs of a node's kernel before it runs; null when
// nothing is.
std::unique_ptr<KnownShapes> KernelShapes(const Node& node);

}  // namespace sluice
