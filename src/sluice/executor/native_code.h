// NativeCode: a conditional, a loop or a call compiled for one thread: its
// regions run in a fixed order, branches and iterations are jumps, no token is
// made. Nothing asynchronous may be inside.
//
// Immutable after Build; Run may be called from any number of threads at once.
// The graph the node belongs to must outlive it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/step_context.h"

namespace sluice {

struct NativeOptions {
  bool fuse = true;
};

class NativeCode {
 public:
  // REQUIRES: `node` is a branch, a loop or a call (Flow).
  static Result<std::unique_ptr<NativeCode>> Build(
      const Node& node, const NativeOptions& options);
  ~NativeCode();

  // The node's inputs, then what its regions and the functions they call read
  // from around them, each once; in operand order.
  std::span<const Value> inputs() const { return inputs_; }

  // `inputs` are taken: of those that nobody else holds the memory may be
  // used. Errors carry the lines of node, iteration and call.
  Status Run(const StepContext& step, std::span<Array> inputs,
             std::span<Array> outputs) const;

  std::string Explain() const;
  // A rough time for one run; of a loop, of as many iterations as are likely.
  double cost_ns() const { return cost_ns_; }

 private:
  explicit NativeCode(const Node& node) : node_(node) {}

  const Node& node_;
  std::vector<Value> inputs_;
  double cost_ns_ = 0;
};

// Why a node cannot be compiled so; empty when it can.
std::string WhyNotNative(const Node& node);

}  // namespace sluice
