// GpuPiece: an island compiled for a GPU: fused loops and the ops' own kernels
// over memory planned in advance, recorded as one graph of the driver's and
// launched as such.
//
// A recorded graph has addresses in it. Runs whose operands lie where those of
// an earlier run lay launch its recording; operands that never lie still are
// copied to a place of the recording's own (recordings.h). Where a recording
// cannot be made, the launches are issued one by one, with the same results.
//
// Immutable after Build but for its recordings; runs of one piece come one at a
// time. The graph it was made from must outlive it.
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
  // `nodes`: the island in topological order. `outputs`: the values somebody
  // outside reads. Errors: constants that do not fit the device.
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
  // Per output: the input it may be written over, or -1.
  std::vector<int> over_input_;
  int num_nodes_ = 0;
  double cost_ns_ = 0;
  mutable Mutex mu_;
  mutable Recordings recordings_ SL_GUARDED_BY(mu_);
  mutable KeptOutputs kept_ SL_GUARDED_BY(mu_);
  mutable bool ran_before_ SL_GUARDED_BY(mu_) = false;
};

}  // namespace sluice
