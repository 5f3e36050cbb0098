// TraceRun: one call of a captured function that finds its trace: feeds it,
// runs it, and lets happen to the tensors around it what its code does to them.
//
// Lives for the call. Calls of one function run at the same time, unless they
// change tensors around it: those take turns.
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

  // Throws what a step throws. `turn` is held, where calls take turns. A run
  // that may wait for what another call does lets go of it meanwhile, and
  // writes over nothing in place. Once.
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
  // It was made as this of what comes back was.
  void TakeHistory(EagerValue& value, size_t fetch);
  void LeaveMemory(const EagerValue& target);
  static void Move(EagerValue& target);
  Tensor Result(const Trace::Returned& how);
  int64_t Source(size_t fetch) const;
  bool ToldWhether(const Trace::Returned& how) const;
  const EagerRef& ValueOf(size_t fetch);
  const Array& Told(int64_t i) const;
  // Whether gradients flow through what comes back, in this run.
  bool Flows(size_t fetch) const;

  std::shared_ptr<Trace> kept_;
  Trace& trace_;
  const std::vector<Tensor>& args_;
  const std::string& name_;
  const SourceLine line_;
  RunOptions options_;
  RandomState place_;  // of the generator, when it began
  ArrayList feeds_, results_;
  std::vector<Array> fed_;           // what the gradient will be fed
  bool given_up_ = false;            // memory of tensors, to be written over
  SmallVector<EagerRef, 6> values_;  // made of results, as they are asked for
  std::vector<EagerRef> alone_;      // what detach() gave, of results
  Ref<FunctionTapeNode> node_;
};

}  // namespace sluice::front_internal
