// GpuWhile: a loop that stays on a GPU. Carried values are stored in slots of
// the arena. The body writes the next values there, the condition is computed
// from them, and the CUDA graph loops by itself, so no iteration waits for the
// host. Repeating the graph costs the GPU more than a small body does, so the
// graph contains several rounds of body and condition. Slots are written only
// while the condition holds; rounds after the last iteration change nothing.
// Where such a graph cannot be made, the host drives the loop and reads the
// condition each time, with the same results. Elementwise loops become one
// kernel (whole_loop.h).
//
// Immutable after Build except for its recordings; runs are serialized. The
// graph it was made from must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/gpu/code_builder.h"
#include "sluice/gpu/loop_lists.h"
#include "sluice/gpu/recordings.h"
#include "sluice/launch/compiled_piece.h"

namespace sluice {

class GpuWhile final : public CompiledPiece {
 public:
  using OnHost = std::function<bool(const Value&)>;

  // `on_host`: whether a value is in host memory. `host_outputs`: the results
  // of the loop that are wanted there. REQUIRES: WhyNotGpuWhile returns "".
  static Result<std::unique_ptr<GpuWhile>> Build(Device& device,
                                                 const Node& loop,
                                                 const OnHost& on_host,
                                                 std::vector<bool> host_outputs,
                                                 bool fuse);

  std::span<const Value> inputs() const override { return program_.inputs; }
  Status Run(const StepContext& step, std::span<Array> inputs,
             std::span<Array> outputs) const override;
  double cost_ns() const override { return cost_ns_; }
  int num_nodes() const override { return num_nodes_; }
  const Node& node() const override { return *loop_; }
  int num_instructions() const override {
    return static_cast<int>(whole_.size() + cond_.size() + body_.size());
  }
  std::string Explain() const override;

 private:
  friend class GpuWhileBuilder;
  explicit GpuWhile(Device& device) : program_(device) {}

  Status IssueRecorded(const StepContext& step, Stream& stream,
                       const GpuBases& bases) const SL_REQUIRES(mu_);
  Status IssueRounds(const StepContext& step, Stream& stream,
                     GpuBases bases) const;
  Status IssueBody(const StepContext& step, Stream& stream,
                   const GpuBases& bases) const;
  // Reads a number, and waits for it.
  Status ReadNumber(int reg, const GpuBases& bases, void* number,
                    size_t bytes) const SL_REQUIRES(mu_);
  Status DriveCounted(const StepContext& step, Stream& stream,
                      GpuBases& bases) const SL_REQUIRES(mu_);
  Status DriveByHost(const StepContext& step, Stream& stream, GpuBases& bases,
                     LoopListRun& lists) const SL_REQUIRES(mu_);
  // The initial capacity of lists.
  int64_t FirstCapacity() const;
  void SetCapacity(int64_t capacity) const SL_REQUIRES(mu_);
  // Resets the state of a run, including that of lists.
  Status Begin(Stream& stream, const GpuBases& bases) const;
  Status MakeOutputs(std::span<Array> outputs, LoopListRun& lists,
                     GpuOperands& operands) const;
  bool Outgrown(const LoopControl& control, const LoopListRun& lists,
                bool launched) const SL_REQUIRES(mu_);
  Status ReadOutputs(std::span<const Array> outputs,
                     std::vector<Array>& here) const SL_REQUIRES(mu_);
  Status WrongIndex(const LoopControl& control,
                    std::span<const Array> inputs) const;
  Status SetCondition(const StepContext& step, Stream& stream,
                      const GpuBases& bases, uint64_t handle) const;

  GpuProgram program_;
  const Node* loop_ = nullptr;
  GpuCode whole_;  // the whole loop, if that is possible; else:
  // Fill the slots; compute the condition; compute unread carried values, if
  // there is a first iteration; iterate; write the results.
  GpuCode first_, cond_, once_, body_, last_;
  // Registers: whether the loop continues; the same, if lists also have enough
  // capacity.
  int predicate_ = -1, live_ = -1;
  // If the number of iterations is computed first (loop_split.h): that number,
  // and how many have begun. live_ then has a flag for each round.
  int trips_ = -1, begun_ = -1;
  int found_ = -1;  // where kernels of the body report errors
  LoopLists lists_;
  int rounds_ = 1;  // of body and condition, in each pass through the graph
  // Loaded before recording, because loading a module would break a recording.
  CUfunction set_condition_ = nullptr;
  std::vector<bool> host_outputs_;
  int num_nodes_ = 0;
  double cost_ns_ = 0;
  mutable Mutex mu_;
  mutable Recordings recordings_ SL_GUARDED_BY(mu_);
  mutable bool warm_ SL_GUARDED_BY(mu_) = false;  // its kernels have run
  mutable int64_t capacity_ SL_GUARDED_BY(mu_) = 0;
  mutable std::vector<Array> tables_ SL_GUARDED_BY(mu_);
  // Totals so far.
  mutable int64_t runs_ SL_GUARDED_BY(mu_) = 0, waits_ SL_GUARDED_BY(mu_) = 0;
};

// Why a loop cannot stay on one GPU; empty when it can. `device`: set to the
// device name of its nodes.
std::string WhyNotGpuWhile(const Node& loop, const GpuWhile::OnHost& on_host,
                           std::string* device);

}  // namespace sluice
