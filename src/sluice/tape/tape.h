// Tape: an island compiled for the CPU. It is a linear program of fused
// elementwise loops and kernel launches over memory planned in advance. A
// launch may include a loop that computes its input and one that is applied to
// its result.
//
// Immutable after TapeBuilder; any number of threads may call Run at once. Each
// run borrows an Activation (arena and bound operands) from the pool of the
// tape, so in the steady state only the outputs of the island are allocated.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/graph/node.h"
#include "sluice/launch/compiled_piece.h"
#include "sluice/op/block_program.h"
#include "sluice/op/step_context.h"

namespace sluice {

class TimedKernel;

class Tape final : public CompiledPiece {
 public:
  Tape();
  ~Tape() override;

  // The values the island reads and produces, in operand order.
  std::span<const Value> inputs() const override { return inputs_; }
  std::span<const Value> outputs() const { return outputs_; }

  // Run may replace `inputs` by contiguous copies and allocates `outputs`. An
  // output may reuse the memory of an input that is not shared. Memory is
  // planned for the types in the graph, so an input of another type is an
  // error.
  Status Run(const StepContext& step, std::span<Array> inputs,
             std::span<Array> outputs) const override;

  bool OverwritesInput(size_t i) const override {
    return std::find(over_input_.begin(), over_input_.end(),
                     static_cast<int32_t>(i)) != over_input_.end();
  }

  // One line per instruction, the planned memory, and what was not fused, with
  // reasons.
  std::string Explain() const override;
  int num_nodes() const override { return num_nodes_; }
  const Node& node() const override { return *outputs_[0].node; }
  int num_instructions() const override {
    return static_cast<int>(code_.size());
  }
  int64_t arena_bytes() const { return arena_bytes_; }
  // Estimated time of one run, from the costs of the ops.
  double cost_ns() const override { return cost_ns_; }

 private:
  friend class TapeBuilder;
  friend class TapeValues;

  enum class Place : uint8_t { kInput, kConst, kArena, kOutput, kNowhere };
  // The location of a value: a place, and a byte offset within it.
  struct Location {
    Place place = Place::kArena;
    int32_t index = 0;  // index of the input, constant or output
    int64_t offset = 0;
  };
  // A location with a shape and strides. Views differ from their base only
  // here.
  struct Register {
    Location at;
    DType dtype = DType::kInvalid;
    Shape shape;
    Strides strides{};
  };
  enum class Code : uint8_t { kFused, kKernel, kCopy };
  struct Loop {
    int32_t program = -1;          // index into programs_, -1: no loop
    std::vector<int32_t> in, out;  // registers
    int32_t first = 0;             // first operand in the activation
    size_t size() const { return in.size() + out.size(); }
  };
  struct Instruction {
    Code code;
    const Node* node = nullptr;    // kernel
    std::vector<int32_t> in, out;  // registers of a kernel or a copy
    int64_t workspace = -1;        // arena offset
    int32_t first = 0;             // first operand in the activation
    Loop before, loop;             // fused with a kernel; `loop` also alone
  };
  // An operand whose pointer changes from run to run.
  struct Patch {
    bool fused;  // in Activation::data, else in Activation::arrays
    int32_t position;
    int64_t offset;
  };
  struct Activation;

  struct InputType {
    DType dtype;
    Shape shape;
  };
  Status CheckInputs(std::span<const Array> inputs) const;
  std::unique_ptr<Activation> Acquire() const;
  void Release(std::unique_ptr<Activation> activation) const;
  std::unique_ptr<Activation> NewActivation() const;
  void Rebind(Activation& activation, const std::vector<Patch>& patches,
              void* base) const;
  Status Execute(Activation& activation, const StepContext& step) const;
  // Records the work of instruction `at` in a profile.
  void Told(size_t at, TimedKernel& timed) const;

  std::vector<Value> inputs_, outputs_;
  // The types that inputs_ are planned for.
  std::vector<InputType> input_types_;
  std::vector<Array> constants_;
  std::vector<Register> registers_;
  std::vector<Instruction> code_;
  std::vector<BlockProgram> programs_;
  std::vector<std::string> labels_;  // per instruction, for Explain
  std::vector<std::string> notes_;   // neighbours that were not fused
  std::vector<std::vector<Patch>> input_patches_, output_patches_;
  // Per output: the input whose memory its kernel may overwrite, or -1.
  std::vector<int32_t> over_input_;
  int num_nodes_ = 0;
  int num_fused_operands_ = 0, num_kernel_operands_ = 0;
  int64_t arena_bytes_ = 0;
  double cost_ns_ = 0;

  mutable Mutex mu_;
  mutable std::vector<std::unique_ptr<Activation>> idle_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
