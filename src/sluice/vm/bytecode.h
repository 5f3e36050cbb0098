// Bytecode: a conditional, a loop or a call compiled for one thread: its
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

#include "sluice/base/thread_annotations.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/launch/compiled_piece.h"
#include "sluice/op/step_context.h"

namespace sluice {

class VmMachine;
class VmNative;
struct VmProgram;
enum class NativeChoice : uint8_t;

struct BytecodeOptions {
  bool fuse = true;  // stretches of known shapes become tapes
  // Whether loops over scalars become machine code (vm/native.h); zero: as the
  // environment says.
  NativeChoice native{};
};

class Bytecode final : public CompiledPiece {
 public:
  // REQUIRES: `node` is a branch, a loop or a call (Flow).
  static Result<std::unique_ptr<Bytecode>> Build(
      const Node& node, const BytecodeOptions& options);
  ~Bytecode() override;

  // The node's inputs, then what its regions and the functions they call read
  // from around them, each once; in operand order. Constants are not among the
  // latter.
  std::span<const Value> inputs() const override { return inputs_; }

  // `inputs` are taken, except constants and handles: of those that nobody else
  // holds the memory may be used. Errors carry the lines of node, iteration and
  // call.
  Status Run(const StepContext& step, std::span<Array> inputs,
             std::span<Array> outputs) const override;

  std::string Explain() const override;
  int num_nodes() const override { return 1; }
  int num_instructions() const override { return 1; }
  const Node& node() const override { return *node_; }
  // A rough time for one run; of a loop, of as many iterations as are likely.
  double cost_ns() const override { return cost_ns_; }

 private:
  Bytecode();

  const Node* node_ = nullptr;
  std::vector<Value> inputs_;
  std::vector<bool> kept_;  // by input: the caller keeps it from run to run
  std::unique_ptr<VmProgram> program_;
  std::shared_ptr<VmNative> native_;  // null: switched off
  double cost_ns_ = 0;

  mutable Mutex mu_;
  mutable std::vector<std::unique_ptr<VmMachine>> idle_ SL_GUARDED_BY(mu_);
};

// Why a node cannot be compiled so; empty when it can.
std::string WhyNotBytecode(const Node& node);

}  // namespace sluice
