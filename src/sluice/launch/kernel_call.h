// KernelCall: the prepared kernel of one node: everything that is the same at
// every launch. Built once for a plan or a program; any number of threads may
// read it. The graph of the node must outlive it.
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

// The facts known about the outputs of a node's kernel before it runs; null if
// there are none.
std::unique_ptr<KnownShapes> KernelShapes(const Node& node);

}  // namespace sluice
