// A Step is one run of a Plan: the token machine. Tokens (a block and a node)
// become ready when the node's last input arrives; firing one runs its kernel
// or island and delivers the outputs.
//
// The thread that calls Run drives the step: it fires tokens from its own stack
// and sleeps only when everything left is asynchronous or on other threads.
// Heavy tokens are exported to the pool while a worker is idle; until the first
// export the step is private to its driver and counts without atomics.
// Asynchronous kernels post their completion to an inbox the driver empties.
//
// Loops and calls run in frames (step_frames.h). Iterations overlap as far as
// their values allow, up to the frame's window; results never depend on it.
//
// A Step is used again for later runs of its plan (step_pool.h), one at a time.
// First error wins: it cancels the step, the remaining tokens are consumed
// without running.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/base/cancellation.h"
#include "sluice/base/event_count.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/base/worker_pool.h"
#include "sluice/op/resource.h"
#include "sluice/op/step_context.h"
#include "sluice/plan/plan.h"
#include "sluice/step/death_search.h"
#include "sluice/step/step_frames.h"
#include "sluice/step/step_stats.h"

namespace sluice {

// Half of a stack whose tokens together take this long is worth a hop to
// another thread, if each of them takes kShareNanos.
inline constexpr float kBatchNanos = 40000;

struct Token {
  IterBlock* block;
  uint32_t node;
  bool dead;
};

// Called when a driver that does not wait, see RunReady, has something to do.
struct StepWake {
  void (*call)(void* context) = nullptr;
  void* context = nullptr;
};

struct StepRequest {
  ResourceManager* resources = nullptr;
  WorkerPool* pool = nullptr;
  int64_t step_id = 0;
  uint64_t seed = 0;
  StepStats* stats = nullptr;  // filled when not null
  // Between the pieces of a step in several tasks. Whoever sets it aborts it
  // when this piece is cancelled.
  Rendezvous* rendezvous = nullptr;
  StepWake wake{};  // from any thread
};

class Step {
 public:
  explicit Step(const Plan& plan);
  ~Step();

  // Begin, Feed every argument, RunUntilQuiet, Finish; all on one thread.
  // A partial run repeats Feed and RunUntilQuiet.
  void Begin(const StepRequest& request);
  void Feed(int arg, Array value);
  // Fires until nothing is ready, running or pending; what still waits then
  // waits for feeds.
  void RunUntilQuiet();
  // The same without waiting: fires what is ready and takes up what has been
  // completed. kNothing: there was neither, and something is pending elsewhere;
  // kTurn: there is more to fire, after others had their turn; kAll: it is
  // quiet. For a driver of several steps on one thread, which is woken by
  // StepRequest::wake.
  enum class Ran : uint8_t { kNothing, kSome, kTurn, kAll };
  Ran RunReady();
  // Something was thrown where tokens are kept: they are lost, and the step
  // with them. Nobody touches it any more, and it must not be used again.
  bool broken() const { return broken_.load(std::memory_order_acquire); }
  // The first error, or OK. The step's results may then be taken.
  Status Finish();
  // Results delivered so far; empty arrays for those that were not.
  std::span<Array> results() { return results_; }
  // Stops the step from any thread.
  void Cancel(Status why) { cancellation_->Cancel(std::move(why)); }
  std::shared_ptr<Cancellation> cancellation() { return cancellation_; }
  Status error() const;

  // Why a result is not there after Finish gave OK: it is dead, or the step
  // could not go on.
  Status MissingResult(size_t i) const {
    return i < missing_.size() ? missing_[i] : OkStatus();
  }
  // Which nodes still wait, for which inputs, in which frame and iteration:
  // what a step that cannot go on prints. REQUIRES: quiet.
  std::string WhyWaiting() const;
  // Loops and calls that had not ended when the step was quiet: some of their
  // inputs never came. Valid after Finish.
  int64_t frames_left() const { return frames_left_; }
  // Blocks that are not in the pool: 0 after Finish.
  int64_t blocks_in_use() const;

 private:
  struct Local;   // a thread's view of this step: its stack of tokens
  struct Batch;   // tokens on their way to another thread
  class AsyncOp;  // a pending asynchronous kernel
  friend class AsyncOp;
  class CopyOfNode;
  enum class Outcome : uint8_t { kDone, kPending };

  template <bool kShared, bool kStats>
  void Fire(Local& local);
  void FireAll(Local& local);
  Outcome Execute(Local& local, const Token& token, Array* outputs);
  Status Compute(const Token& token, const PlanNodeInfo& info,
                 const StepContext& context, Array* inputs, Array* outputs);
  template <bool kShared>
  void Deliver(Local& local, IterBlock& block, std::span<const PlanEdge> edges,
               Array* outputs, bool dead, int32_t* activated);
  // Brings one value to one receiver; 1 when that made a token.
  template <bool kShared>
  int32_t Bring(Local& local, IterBlock& block, const PlanEdge& edge,
                Array value, bool dead, bool later);
  template <bool kShared>
  int32_t BringToMerge(Local& local, IterBlock& block, const PlanEdge& edge,
                       Array value, bool dead, bool later);
  template <bool kShared>
  bool Arrive(IterBlock& block, uint32_t node, bool dead, bool* is_dead);

  // ---- step_flow.cc: loops and calls ----
  template <bool kShared>
  void Across(Local& local, IterBlock& block, const PlanEdge& edge, Array value,
              bool dead);
  template <bool kShared>
  void AddWork(Local& local, IterBlock& block, int32_t delta);
  template <bool kShared>
  Frame* Child(Local& local, IterBlock& block, uint32_t where);
  template <bool kShared>
  Frame* NewFrame(Local& local, uint32_t type, IterBlock& parent,
                  uint32_t caller);
  template <bool kShared>
  IterBlock* StartIteration(Local& local, Frame& frame);
  template <bool kShared>
  IterBlock* NextBlock(Local& local, IterBlock& block, const PlanEdge& edge,
                       Array& value);
  template <bool kShared>
  void SetConstant(Local& local, Frame& frame, uint32_t index, Array value,
                   bool dead);
  template <bool kShared>
  void Entered(Local& local, Frame& frame);
  template <bool kShared>
  bool Retire(Local& local, Frame& frame);
  template <bool kShared>
  int32_t EndFrame(Local& local, Frame& frame);
  template <bool kShared>
  void StartCall(Local& local, const Token& token);
  IterBlock* NewBlock(uint32_t type);
  void InitBlock(IterBlock& block, const FrameInfo& info);
  void ClearSlots(IterBlock& block, bool constants_too);
  static void TakeSlots(IterBlock& block, std::vector<Array>& dropped);
  void EmptyFrame(Frame& frame);
  void ReleaseFrame(Frame& frame);
  void ClearFrames();
  uint64_t TagOf(const IterBlock& block,
                 const std::vector<const Node*>& calls) const;
  // The loops and calls around a block, innermost first.
  struct Around {
    const FrameInfo* frame;
    uint32_t caller;
    int64_t iteration;
  };
  static std::vector<Around> PlaceIn(const IterBlock& block);
  Status AtPlace(Status status, std::span<const Around> place,
                 const std::vector<const Node*>& calls) const;
  // The error with the iterations and calls it happened in.
  Status Located(Status status, const IterBlock& block,
                 const std::vector<const Node*>& calls) const;
  Status BadPredicate(const PlanNodeInfo& info, const Array& pred) const;

  // ---- step_waiting.cc ----
  std::string PlaceOf(const IterBlock& block) const;
  void AddWaiting(const IterBlock& block, std::vector<WaitingNode>& out) const;
  std::vector<WaitingNode> Waiting() const;
  void NoteDeadline();
  void NoteMissing();
  std::optional<Decision> DecisionOf(uint32_t id) const;
  void KeepDecisions(const Frame& frame, const IterBlock& last);

  void Push(Local& local, Token token, bool later);
  void MaybeExport(Local& local);
  void RunBatch(const Batch& batch);
  bool DrainInbox(Local& local);
  Outcome LaunchAsync(const Token& token, Array* outputs);
  void AddInFlight(AsyncOp* op);
  void RemoveInFlight(AsyncOp* op);

  // ---- step_devices.cc ----
  Outcome StartCopyOf(const Token& token, Array* outputs);
  // What a piece over several CPU devices has made becomes each one's own.
  Status MoveOutputs(const PlanNodeInfo& info, Array* outputs) const;
  Status LaunchOnDevice(const Token& token, const StepContext& context,
                        Array* outputs);
  Status RunPieceOnDevice(const Token& token, const StepContext& context,
                          std::span<Array> inputs, std::span<Array> outputs);
  bool DriveDevices();
  void WaitForDevices();
  // A copy that would leave little memory waits for what others free.
  bool Park(const Token& token);
  bool RetryParked();

  void Post(AsyncOp* op);
  void WakeDriver();
  void Fail(const Status& status);
  void RunTokens();
  void Break(const Status& status);
  void Abandon();
  void LeaveAlone();
  void AddOutstanding(int64_t delta);
  void ClearLeftovers();

  const Plan& plan_;
  IterBlock root_;
  std::vector<Array> results_;
  StepContext context_;
  // The same for each of the plan's devices but the host; empty for most.
  // Whom a piece on a device tells what it finds wrong: this step, for as long
  // as it lasts.
  struct LateTarget {
    Mutex mu;
    Step* step SL_GUARDED_BY(mu) = nullptr;
  };
  std::shared_ptr<LateTarget> late_target_;
  std::vector<StepContext> device_contexts_;
  std::shared_ptr<Cancellation> cancellation_;
  WorkerPool* pool_ = nullptr;
  StepStats* stats_ = nullptr;

  // Tokens ready, running or pending. Plain arithmetic while private.
  std::atomic<int64_t> outstanding_{0};
  bool shared_ = false;  // written by the driver alone, before the first export
  std::unique_ptr<Local> driver_;

  std::atomic<AsyncOp*> inbox_{nullptr};
  // Copies that a device makes for the host. While there are some the driver
  // does not sleep: a device may need somebody to drive it.
  std::atomic<int32_t> device_copies_{0};
  // Copies that wait for memory, and what the driver had fired when it had
  // tried them last.
  std::vector<Token> parked_ SL_GUARDED_BY(mu_);
  std::atomic<int64_t> num_parked_{0};
  uint32_t fired_at_retry_ = 0;
  // The next one is made: nobody else is left to free any.
  std::atomic<bool> must_copy_{false};
  // Threads that may still touch this step although its last token is gone.
  std::atomic<int32_t> visitors_{0};
  EventCount event_;
  StepWake wake_;

  // Loops and calls. The lock guards the lists when the step is shared.
  SpinLock frames_lock_, root_lock_;
  std::vector<std::unique_ptr<Frame>> all_frames_;
  std::vector<std::unique_ptr<IterBlock>> all_blocks_;
  std::vector<std::vector<Frame*>> free_frames_;  // by kind of frame
  std::vector<IterBlock*> free_blocks_;           // by kind: linked lists
  int64_t frames_left_ = 0;

  // For explanations.
  std::vector<uint8_t> dead_results_;
  std::vector<Status> missing_;
  bool deadline_noted_ = false;
  std::string doing_;  // when the deadline passed

  mutable Mutex mu_;
  Status error_ SL_GUARDED_BY(mu_);
  // Whether there is one: steps that go well never take the lock for it.
  std::atomic<bool> failed_{false};
  std::atomic<bool> broken_{false};
  AsyncOp* in_flight_ SL_GUARDED_BY(mu_) = nullptr;
  // By plan node: what a Switch said in its frame's last iteration.
  std::unordered_map<uint32_t, Decision> last_decisions_;
};

}  // namespace sluice
