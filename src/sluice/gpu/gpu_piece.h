// GpuPiece: an island compiled for a GPU: fused loops and kernels over memory
// planned in advance, recorded and launched as one CUDA graph.
//
// A recorded graph contains addresses. A run whose operands have the same
// addresses as in an earlier run launches the recording of that run. Operands
// whose address keeps changing are copied to a fixed address (recordings.h).
// Where recording fails, the launches are issued one by one, with the same
// results.
//
// Immutable after Build except for its recordings; runs of one piece are
// serialized. The graph it was made from must outlive it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/gpu/gpu_program.h"
#include "sluice/gpu/kept_outputs.h"
#include "sluice/gpu/recordings.h"
#include "sluice/launch/compiled_piece.h"

namespace sluice {

class GpuPiece final : public CompiledPiece {
 public:
  // `nodes`: the island in topological order. `outputs`: the values read
  // outside. Errors: constants that do not fit the device.
  static Result<std::unique_ptr<GpuPiece>> Build(
      Device& device, const std::vector<Node*>& nodes,
      const std::vector<Value>& outputs, bool fuse);

  std::span<const Value> inputs() const override { return program_.inputs; }
  Status Run(const StepContext& step, std::span<Array> inputs,
             std::span<Array> outputs) const override;
  bool OverwritesInput(size_t i) const override;
  double cost_ns() const override { return cost_ns_; }
  int num_nodes() const override { return num_nodes_; }
  const Node& node() const override { return *outputs_[0].node; }
  int num_instructions() const override {
    return static_cast<int>(code_.size());
  }
  std::string Explain() const override;

 private:
  explicit GpuPiece(Device& device) : program_(device) {}

  Result<Array> NewOutput(size_t i) const SL_REQUIRES(mu_);

  GpuProgram program_;
  GpuCode code_;
  std::vector<Value> outputs_;
  // Per output: the input whose memory it may overwrite, or -1.
  std::vector<int> over_input_;
  int num_nodes_ = 0;
  double cost_ns_ = 0;
  mutable Mutex mu_;
  mutable Recordings recordings_ SL_GUARDED_BY(mu_);
  mutable KeptOutputs kept_ SL_GUARDED_BY(mu_);
  mutable bool ran_before_ SL_GUARDED_BY(mu_) = false;
};

}  // namespace sluice
