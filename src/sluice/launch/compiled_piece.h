// CompiledPiece: a stretch of a graph compiled for one device, which a step
// runs as one node: a tape for straight code on the CPU, bytecode for regions,
// recorded launches on a GPU.
//
// Immutable once built and run from any number of threads at once. The graph
// it was made from must outlive it.
#pragma once

#include <span>
#include <string>

#include "sluice/graph/node.h"
#include "sluice/op/step_context.h"

namespace sluice {

class CompiledPiece {
 public:
  virtual ~CompiledPiece() = default;

  // Values it reads from outside, in operand order.
  virtual std::span<const Value> inputs() const = 0;
  // Takes `inputs` and makes `outputs`. Over when it returns, or, on a device
  // that runs behind the host, in the order of the device's stream.
  virtual Status Run(const StepContext& step, std::span<Array> inputs,
                     std::span<Array> outputs) const = 0;
  // Whether an output may be written over that input.
  virtual bool OverwritesInput(size_t) const { return false; }

  // A rough time for one run.
  virtual double cost_ns() const = 0;
  // How many nodes of the graph it stands for; one of them, for reports.
  virtual int num_nodes() const = 0;
  virtual const Node& node() const = 0;
  // What it was made of them.
  virtual int num_instructions() const = 0;
  // What it does, a line each.
  virtual std::string Explain() const = 0;
};

}  // namespace sluice
