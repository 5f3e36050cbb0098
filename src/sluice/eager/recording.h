// Recording: the function being recorded on this thread, as calls and their
// gradients see it. A call on its values is handed to it instead of run; a
// tensor asks it for its present value and its gradient. trace/capture.h does
// the recording.
//
// One at a time per thread, while the function's body runs.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "sluice/base/source_line.h"
#include "sluice/base/status.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/eager_value.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/session/random_state.h"

namespace sluice {

// What a backward run has found for a leaf.
struct LeafGradient {
  EagerRef leaf, gradient;
};

class Device;

class Recording {
 public:
  // Null when this thread records no function.
  static Recording* Current() { return current_; }
  // The one that records into the graph that is open here, if any.
  static Recording* Open() {
    return current_ && current_->IsOpen() ? current_ : nullptr;
  }
  // Ends the recording for a while: what is called until Resume runs at once.
  static Recording* Suspend() { return std::exchange(current_, nullptr); }
  static void Resume(Recording* suspended) { current_ = suspended; }

  Graph& graph() { return graph_; }
  // Whether code of a branch or a loop is recorded, which may not be run.
  virtual bool in_region() const = 0;

  // ---- Values ----
  // The traced value behind a tensor, whatever it is.
  virtual EagerRef ValueOf(const Tensor& tensor) = 0;
  // Whether it belongs to this recording, or an earlier one of the same graph.
  virtual bool Mine(const EagerValue& value) const = 0;
  // What it is now. Views are brought up to date. Throws when it cannot be
  // known, or belongs to another recording.
  virtual Value Now(EagerValue& value) = 0;
  // As an operand of a call that is recorded for gradients: those that must not
  // flow through here are stopped.
  virtual Value NowAsOperand(EagerValue& value) = 0;
  // A value of the graph with an identity, its own where it has one; else what
  // it was made of decides whether gradients flow through it.
  virtual EagerRef Adopt(Value value) = 0;
  virtual EagerRef Constant(const Array& value) = 0;
  // Somebody has read the elements of a tensor around: what was recorded serves
  // until these are written.
  virtual void NoteElements(const EagerRef& value) = 0;
  // Where its elements will lie; null where that is not known.
  virtual Device* DeviceOf(EagerValue& value) = 0;

  // ---- Calls ----
  // Errors name op and operands; the caller adds the user's line.
  virtual Status Call(const OpRecord& op, std::span<const EagerRef> inputs,
                      const Attrs& attrs, const SourceLine& line,
                      EagerResults& results) = 0;
  // target = op(target, others...), seen through every handle and view.
  virtual Status CallInPlace(const OpRecord& op, const EagerRef& target,
                             std::span<const EagerRef> others,
                             const Attrs& attrs, const SourceLine& line) = 0;
  // What became of a call that others have added to the graph: its results, and
  // its place on the tape.
  virtual void Record(Node& node, std::span<const EagerRef> inputs,
                      const SourceLine& line, bool records) = 0;
  // The code itself has made this call: it fails where that fails, even if
  // nothing needs the result.
  virtual void NoteCall(const Node& node) = 0;
  // target.data = made: its views stay with the old elements, so that they are
  // refused from then on. Throws where both would be memory of tensors outside.
  virtual void SetData(const EagerRef& target, const EagerRef& made,
                       const SourceLine& line) = 0;

  // ---- Random numbers ----
  // The place a call draws from; none where code draws apart.
  virtual Value NextDraw(const SourceLine& line) = 0;
  // The user's code sets the generator.
  virtual void SetPlace(const RandomState& state, const SourceLine& line) = 0;

  // ---- Gradients ----
  // Throws where code of a branch or a loop registers a hook with a value from
  // outside of it: runs that do not come there would meet the hook, too.
  virtual void CheckHook(const EagerValue& value) const = 0;
  virtual void SetRequiresGrad(const EagerRef& inside, bool wanted) = 0;
  // The gradient of a traced value as the body sees it. What was there before
  // the call is read as an argument too.
  virtual EagerRef GradOf(EagerValue& inside) = 0;
  virtual void SetGrad(const EagerRef& inside, EagerRef grad) = 0;
  // The code reads it. Throws where a branch decides whether it is there. Where
  // loops do, runs in which none goes round fail, for the code itself to run
  // instead: a training step with a loop in it is one graph.
  virtual void RequireGrad(const EagerValue& inside) = 0;
  // A run fails with this message if gradients do not flow through it.
  virtual void RequireFlow(const EagerValue& value,
                           const std::string& message) = 0;
  // Whether the node stands for what was computed before the recording, and
  // that leads to the tensor outside which `inside` stands for.
  virtual bool LeadsOutside(const TapeNode& node,
                            const EagerValue& inside) const = 0;
  // A backward run from these roots has ended at these leaves, which are
  // traced: they add what they got to their grad.
  virtual Status AddToGrads(std::span<const EagerRef> roots,
                            std::span<LeafGradient> found, bool record) = 0;

 protected:
  explicit Recording(Graph& graph) : graph_(graph) {}
  ~Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  Graph& graph_;

 private:
  bool IsOpen() const;

  static constinit thread_local Recording* current_;
};

// The tensor of a value of a graph. Where that graph is recorded it has an
// identity, so that every handle and view sees what is written into it.
Tensor TensorIn(Graph& graph, Value value);

// What is said of a traced value that is met when its recording is over:
// "f32[2] ... belongs to a captured function whose recording is over; ...".
std::string RecordingIsOver(const EagerValue& value);

}  // namespace sluice
