// A Step is one run of a Plan: the token machine. A token (a block and a node)
// becomes ready when the last input of its node arrives. Firing it runs the
// kernel or island and delivers the outputs.
//
// The thread that calls Run drives the step: it fires tokens from its own stack
// and sleeps only if all remaining work is asynchronous or on other threads.
// Heavy tokens are exported to the pool while a worker is idle. Until the first
// export the step is private to its driver and counts without atomics.
// Asynchronous kernels post their completion to an inbox that the driver
// empties.
//
// Loops and calls run in frames (step_frames.h). Iterations overlap as far as
// their values allow, up to the window of the frame; results never depend on
// it.
//
// A Step is reused for later runs of its plan (step_pool.h), one run at a time.
// The first error wins: it cancels the step, and the remaining tokens are
// consumed without running.
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

// Half of a stack is worth moving to another thread if its tokens together take
// this long and each takes at least kShareNanos.
inline constexpr float kBatchNanos = 40000;

struct Token {
  IterBlock* block;
  uint32_t node;
  bool dead;
};

// Called when a driver that does not wait (see RunReady) has work to do.
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
  // Connects the pieces of a step that spans several tasks. Its owner aborts it
  // when this piece is cancelled.
  Rendezvous* rendezvous = nullptr;
  StepWake wake{};  // called from any thread
};

class Step {
 public:
  explicit Step(const Plan& plan);
  ~Step();

  // Call Begin, Feed for every argument, RunUntilQuiet and Finish, all on one
  // thread. A partial run repeats Feed and RunUntilQuiet.
  void Begin(const StepRequest& request);
  void Feed(int arg, Array value);
  // Fires until nothing is ready, running or pending; all remaining nodes then
  // wait for feeds.
  void RunUntilQuiet();
  // Like RunUntilQuiet, but never waits: fires ready tokens and processes
  // completions. For a driver of several steps on one thread, which is woken by
  // StepRequest::wake. kNothing: there was no work, and something is pending
  // elsewhere. kTurn: the turn is over and more tokens are ready. kAll: the
  // step is quiet.
  enum class Ran : uint8_t { kNothing, kSome, kTurn, kAll };
  Ran RunReady();
  // An exception occurred while tokens were stored: tokens are lost, and the
  // step with them. It must not be touched or used again.
  bool broken() const { return broken_.load(std::memory_order_acquire); }
  // The first error, or OK. The results may be taken afterwards.
  Status Finish();
  // The results delivered so far; missing ones are empty arrays.
  std::span<Array> results() { return results_; }
  // Stops the step from any thread.
  void Cancel(Status why) { cancellation_->Cancel(std::move(why)); }
  std::shared_ptr<Cancellation> cancellation() { return cancellation_; }
  Status error() const;

  // Why a result is missing although Finish returned OK: it is dead, or the
  // step could not continue.
  Status MissingResult(size_t i) const {
    return i < missing_.size() ? missing_[i] : OkStatus();
  }
  // The nodes that still wait, with the missing inputs, frame and iteration;
  // printed when a step cannot continue. REQUIRES: quiet.
  std::string WhyWaiting() const;
  // Number of loops and calls that had not ended when the step became quiet,
  // because some of their inputs never came. Valid after Finish.
  int64_t frames_left() const { return frames_left_; }
  // Number of blocks not in the pool: 0 after Finish.
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
  // Parts of Fire, inlined there.
  template <bool kStats>
  void Measure(Local& local, const Token& token, std::span<const Array> outputs,
               uint64_t start, bool dead, bool sampled);
  template <bool kShared>
  void CountFiring(Local& local);
  void FireAll(Local& local);
  Outcome Execute(Local& local, const Token& token, Array* outputs);
  Status Compute(const Token& token, const PlanNodeInfo& info,
                 const StepContext& context, Array* inputs, Array* outputs);
  template <bool kShared>
  void Deliver(Local& local, IterBlock& block, std::span<const PlanEdge> edges,
               Array* outputs, bool dead, int32_t* activated);
  // Delivers one value to one receiver; returns 1 if that created a token.
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
  // The loops and calls that enclose a block, innermost first.
  struct Around {
    const FrameInfo* frame;
    uint32_t caller;
    int64_t iteration;
  };
  static std::vector<Around> PlaceIn(const IterBlock& block);
  Status AtPlace(Status status, std::span<const Around> place,
                 const std::vector<const Node*>& calls) const;
  // The error, extended by the iterations and calls in which it occurred.
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
  // Moves the outputs of a piece over several CPU devices to the memory of
  // their own devices.
  Status MoveOutputs(const PlanNodeInfo& info, Array* outputs) const;
  Status LaunchOnDevice(const Token& token, const StepContext& context,
                        Array* outputs);
  Status RunPieceOnDevice(const Token& token, const StepContext& context,
                          std::span<Array> inputs, std::span<Array> outputs);
  bool DriveDevices();
  void WaitForDevices();
  // Delays a copy that would leave little memory until memory is freed.
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
  // A piece on a device reports late errors to its target: this step, while it
  // lasts.
  struct LateTarget {
    Mutex mu;
    Step* step SL_GUARDED_BY(mu) = nullptr;
  };
  std::shared_ptr<LateTarget> late_target_;
  // Like context_, for each of the plan's devices except the host; usually
  // empty.
  std::vector<StepContext> device_contexts_;
  std::shared_ptr<Cancellation> cancellation_;
  WorkerPool* pool_ = nullptr;
  StepStats* stats_ = nullptr;

  // Tokens that are ready, running or pending. Not atomic while private.
  std::atomic<int64_t> outstanding_{0};
  bool shared_ = false;  // written by the driver alone, before the first export
  std::unique_ptr<Local> driver_;

  std::atomic<AsyncOp*> inbox_{nullptr};
  // Copies that a device makes for the host. While there are any, the driver
  // does not sleep, because a device may need a thread to drive it.
  std::atomic<int32_t> device_copies_{0};
  // Copies that wait for memory, and the driver's firing count at the last
  // attempt.
  std::vector<Token> parked_ SL_GUARDED_BY(mu_);
  std::atomic<int64_t> num_parked_{0};
  uint32_t fired_at_retry_ = 0;
  // The next copy is made regardless: no other work is left that could free
  // memory.
  std::atomic<bool> must_copy_{false};
  // Threads that may still touch this step although its last token is gone.
  std::atomic<int32_t> visitors_{0};
  EventCount event_;
  StepWake wake_;

  // Loops and calls. Once the step is shared, frames_lock_ guards the lists and
  // root_lock_ the children of the root block. No annotations: a private step
  // takes no lock (FrameGuard).
  SpinLock frames_lock_, root_lock_;
  std::vector<std::unique_ptr<Frame>> all_frames_;
  std::vector<std::unique_ptr<IterBlock>> all_blocks_;
  std::vector<std::vector<Frame*>> free_frames_;  // by frame kind
  std::vector<IterBlock*> free_blocks_;           // by frame kind: linked lists
  int64_t frames_left_ = 0;

  // For error messages. Each result has one writer; the rest is the driver's,
  // when the step is quiet.
  std::vector<uint8_t> dead_results_;
  std::vector<Status> missing_;
  bool deadline_noted_ = false;
  std::string doing_;  // current work when the deadline passed

  mutable Mutex mu_;
  Status error_ SL_GUARDED_BY(mu_);
  // Whether there is an error: successful steps never take the lock for it.
  std::atomic<bool> failed_{false};
  std::atomic<bool> broken_{false};
  AsyncOp* in_flight_ SL_GUARDED_BY(mu_) = nullptr;
  // By plan node: the decision of a Switch in the last iteration of its frame.
  // Written under mu_ while the step runs. No annotation: when it is quiet, its
  // driver reads and clears it without the lock.
  std::unordered_map<uint32_t, Decision> last_decisions_;
};

}  // namespace sluice
