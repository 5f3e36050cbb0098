// DebugRecorder: the record run_debug keeps of what the interpreter shows it.
//
// Lives for one run, on the thread that runs it.
#pragma once

#include <string>
#include <vector>

#include "sluice/front/debug.h"
#include "sluice/reference/interpret_observer.h"

namespace sluice::front_internal {

class DebugRecorder : public InterpretObserver {
 public:
  DebugRecorder(const DebugOptions& options, DebugResult& result);

  Status Before(const Node& node, const FlowPlace* place,
                std::span<const Array> inputs) override;
  Status After(const Node& node, const FlowPlace* place,
               std::span<const Array> outputs) override;

  // Asked to stop: the error the run ended with is no error.
  bool stopped() const { return stopped_; }
  // The node that was about to run when an error came.
  const DebugEvent& last() const { return last_; }
  // Says how much was left out of the trace.
  void Finish();

 private:
  DebugEvent EventOf(const Node& node, const FlowPlace* place) const;
  Status Act(DebugAction action, const DebugEvent& event);
  void Watch(const Node& node, const DebugEvent& event);
  void Trace(const DebugEvent& event);
  void TraceLine(size_t depth, const std::string& text);

  const DebugOptions& options_;
  DebugResult& result_;
  bool stopped_ = false;
  DebugEvent last_;
  std::vector<DebugPlace> traced_;  // the places the trace is in
  int64_t lines_ = 0;
};

}  // namespace sluice::front_internal
