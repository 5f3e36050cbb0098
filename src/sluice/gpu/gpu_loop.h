// GpuWhile: a loop that stays on a GPU. What is carried lies in slots of the
// arena; the body writes the next values there, the condition is computed from
// them, and the driver's graph goes round by itself: no iteration waits for the
// host. Going round costs the GPU more than a small body does, so the graph
// holds several rounds of body and condition: slots are written only while the
// condition holds, and rounds behind the last leave all as it is. Where such a
// graph cannot be made the host drives the loop, reading the condition each
// time, with the same results. Elementwise loops are one kernel (whole_loop.h).
//
// Immutable after Build but for its recordings; runs come one at a time. The
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

  // `on_host`: whether a value lies in the host's memory. `host_outputs`: of
  // the loop's results, those that are wanted there.
  // REQUIRES: WhyNotGpuWhile says nothing.
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
  // A number the host waits for.
  Status ReadNumber(int reg, const GpuBases& bases, void* number,
                    size_t bytes) const SL_REQUIRES(mu_);
  Status DriveCounted(const StepContext& step, Stream& stream,
                      GpuBases& bases) const SL_REQUIRES(mu_);
  Status DriveByHost(const StepContext& step, Stream& stream, GpuBases& bases,
                     LoopListRun& lists) const SL_REQUIRES(mu_);
  // Room that lists begin with.
  int64_t FirstCapacity() const;
  void SetCapacity(int64_t capacity) const SL_REQUIRES(mu_);
  // Nothing is done yet, with lists either.
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
  GpuCode whole_;  // all of it, if that is possible; else:
  // Fill the slots; compute the condition; what is carried unseen, if there is
  // a first iteration; go round; hand the results out.
  GpuCode first_, cond_, once_, body_, last_;
  // Registers: whether the loop goes on; the same, if there is also room for
  // what it appends to lists.
  int predicate_ = -1, live_ = -1;
  // If the number of iterations is computed first (loop_split.h): that, and how
  // many have begun. Then live_ has a flag for each round.
  int trips_ = -1, begun_ = -1;
  int found_ = -1;  // where kernels of the body tell what is wrong
  LoopLists lists_;
  int rounds_ = 1;  // of body and condition, each time the graph goes round
  // Loaded before anything is recorded, which loading would break off.
  CUfunction set_condition_ = nullptr;
  std::vector<bool> host_outputs_;
  int num_nodes_ = 0;
  double cost_ns_ = 0;
  mutable Mutex mu_;
  mutable Recordings recordings_ SL_GUARDED_BY(mu_);
  mutable bool warm_ SL_GUARDED_BY(mu_) = false;  // its kernels have run
  mutable int64_t capacity_ SL_GUARDED_BY(mu_) = 0;
  mutable std::vector<Array> tables_ SL_GUARDED_BY(mu_);
  // So far.
  mutable int64_t runs_ SL_GUARDED_BY(mu_) = 0, waits_ SL_GUARDED_BY(mu_) = 0;
};

// Why a loop cannot stay on one GPU; empty when it can. `device`: set to the
// name its nodes say.
std::string WhyNotGpuWhile(const Node& loop, const GpuWhile::OnHost& on_host,
                           std::string* device);

}  // namespace sluice
