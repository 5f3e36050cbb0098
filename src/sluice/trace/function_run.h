// TraceRun: one call of a captured function with a matching trace. It feeds and
// runs the trace, then applies the effects of its code to the tensors outside.
//
// Lives for the call. Calls of one function run concurrently unless they change
// tensors outside it; those run one after another.
#pragma once

#include <mutex>

#include "sluice/trace/function_node.h"
#include "sluice/trace/function_trace.h"

namespace sluice::front_internal {

class TraceRun {
 public:
  TraceRun(std::shared_ptr<Trace> trace, const std::vector<Tensor>& args,
           const std::string& name, std::source_location where,
           bool brief = false);

  // Throws what a step throws. `turn` is the lock held where calls run one
  // after another. A run that may wait for an effect of another call releases
  // it while waiting and overwrites nothing in place. Call once.
  BodyResult Run(std::unique_lock<std::mutex>* turn = nullptr);

 private:
  void Feed();
  void GiveUp();
  bool HasBegun() const;
  void RunProgram();
  void BringTold();
  void LeavePlace();
  std::vector<TapeEdge> Edges() const;
  void MakeNode();
  void Land();
  void Watch();
  void KeepLooks(const std::vector<Tensor>& made);
  void Write(EagerValue& target, Array array, size_t fetch);
  // Gives `value` the history of fetch `fetch`.
  void TakeHistory(EagerValue& value, size_t fetch);
  void LeaveMemory(const EagerValue& target);
  static void Move(EagerValue& target);
  Tensor Result(const Trace::Returned& how);
  int64_t Source(size_t fetch) const;
  bool ToldWhether(const Trace::Returned& how) const;
  const EagerRef& ValueOf(size_t fetch);
  const Array& Told(int64_t i) const;
  // Whether gradients flow through this fetch in this run.
  bool Flows(size_t fetch) const;

  std::shared_ptr<Trace> kept_;
  Trace& trace_;
  const std::vector<Tensor>& args_;
  const std::string& name_;
  const SourceLine line_;
  RunOptions options_;
  RandomState place_;  // of the generator, at the start of the run
  ArrayList feeds_, results_;
  std::vector<Array> fed_;           // feeds of the gradient
  bool given_up_ = false;            // memory of tensors, for results
  SmallVector<EagerRef, 6> values_;  // of results, made on demand
  std::vector<EagerRef> alone_;      // results of detach()
  Ref<FunctionTapeNode> node_;
};

}  // namespace sluice::front_internal
