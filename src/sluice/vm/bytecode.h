// Bytecode: a conditional, a loop or a call compiled for one thread. Its
// regions run in a fixed order, branches and iterations are jumps, and no
// tokens are created. It contains nothing asynchronous.
//
// Immutable after Build; any number of threads may call Run at once. The graph
// of the node must outlive it.
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
  bool fuse = true;  // sequences of known shapes become tapes
  // Whether scalar loops become machine code (vm/native.h); by default the
  // environment decides.
  NativeChoice native{};
};

class Bytecode final : public CompiledPiece {
 public:
  // REQUIRES: `node` is a branch, a loop or a call (Flow).
  static Result<std::unique_ptr<Bytecode>> Build(
      const Node& node, const BytecodeOptions& options);
  ~Bytecode() override;

  // The inputs of the node, then the outer values that its regions and the
  // functions they call read, each once; in operand order. Constants are not
  // among the outer values.
  std::span<const Value> inputs() const override { return inputs_; }

  // `inputs` are moved from, except constants and handles; the memory of
  // unshared ones may be reused. Errors carry the lines of the node, iteration
  // and call.
  Status Run(const StepContext& step, std::span<Array> inputs,
             std::span<Array> outputs) const override;

  std::string Explain() const override;
  int num_nodes() const override { return 1; }
  int num_instructions() const override { return 1; }
  const Node& node() const override { return *node_; }
  // Estimated time of one run; for a loop, with the likely number of
  // iterations.
  double cost_ns() const override { return cost_ns_; }

 private:
  Bytecode();

  const Node* node_ = nullptr;
  std::vector<Value> inputs_;
  std::vector<bool> kept_;  // by input: the caller keeps it across runs
  std::unique_ptr<VmProgram> program_;
  std::shared_ptr<VmNative> native_;  // null: switched off
  double cost_ns_ = 0;

  mutable Mutex mu_;
  mutable std::vector<std::unique_ptr<VmMachine>> idle_ SL_GUARDED_BY(mu_);
};

// Why a node cannot be compiled to bytecode; empty if it can.
std::string WhyNotBytecode(const Node& node);

}  // namespace sluice
