// CompiledPiece: a part of a graph compiled for one device, which a step runs
// as one node: a tape for straight-line code on the CPU, bytecode for regions,
// recorded launches on a GPU.
//
// Immutable once built; any number of threads may run it at once. Its source
// graph must outlive it.
#pragma once

#include <span>
#include <string>

#include "sluice/graph/node.h"
#include "sluice/op/step_context.h"

namespace sluice {

class CompiledPiece {
 public:
  virtual ~CompiledPiece() = default;

  // The outer values it reads, in operand order.
  virtual std::span<const Value> inputs() const = 0;
  // Moves from `inputs` and allocates `outputs`. The work is done on return or,
  // on a device that runs behind the host, in stream order.
  virtual Status Run(const StepContext& step, std::span<Array> inputs,
                     std::span<Array> outputs) const = 0;
  // Whether an output may overwrite the memory of that input.
  virtual bool OverwritesInput(size_t) const { return false; }

  // Estimated time of one run.
  virtual double cost_ns() const = 0;
  // The number of graph nodes it represents, and one of them, for reports.
  virtual int num_nodes() const = 0;
  virtual const Node& node() const = 0;
  // The number of instructions it compiled them to.
  virtual int num_instructions() const = 0;
  // Its instructions, one per line.
  virtual std::string Explain() const = 0;
};

}  // namespace sluice
