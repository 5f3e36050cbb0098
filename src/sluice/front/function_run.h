// TraceRun: one call of a captured function that finds its trace: feeds it,
// runs it, and lets happen to the tensors around it what its code does to them.
//
// Lives for the call, under the function's lock.
#pragma once

#include "sluice/front/function_node.h"
#include "sluice/front/function_trace.h"

namespace sluice::front_internal {

class TraceRun {
 public:
  TraceRun(std::shared_ptr<Trace> trace, const std::vector<Tensor>& args,
           const std::string& name, std::source_location where);

  // Throws what a step throws.
  BodyResult Run();

 private:
  void Feed();
  void GiveUp();
  void RunProgram();
  void LeavePlace();
  void MakeNode();
  void Land();
  void Watch();
  void Write(EagerValue& target, Array array, size_t fetch);
  void LeaveMemory(const EagerValue& target);
  Tensor Result(const Trace::Returned& how);
  EagerRef ValueOf(size_t fetch);
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
  std::vector<Array> feeds_, fed_, results_;
  std::vector<EagerRef> values_;  // made of results, as they are asked for
  Ref<FunctionTapeNode> node_;
  std::vector<int> outputs_;  // of the node, by fetch; -1 for none
};

}  // namespace sluice::front_internal
