// A call of a captured function on the tape.
#pragma once

#include "sluice/front/function_trace.h"
#include "sluice/front/tape.h"

namespace sluice::front_internal {

// Keeps what was fed; the gradient computes the rest again.
class FunctionTapeNode final : public TapeNode {
 public:
  FunctionTapeNode(SourceLine line, std::string name, FunctionBody body)
      : TapeNode(line), name_(std::move(name)), body_(std::move(body)) {}

  std::string_view name() const override { return name_; }
  size_t num_outputs() const override { return num_results; }
  void Drop() override {
    feeds.clear();
    trace.reset();
    dropped_ = true;
  }
  Status Backward(std::span<const EagerRef> dy, bool record,
                  std::span<EagerRef> dx) override;

  std::shared_ptr<Trace> trace;
  std::vector<Array> feeds;  // arguments, then what was captured
  RunOptions run;            // the gradient draws the same random numbers
  size_t num_args = 0, num_results = 0;
  std::vector<Shape> result_shapes;

 private:
  Status Again(std::span<const EagerRef> dy, std::span<EagerRef> dx);

  const std::string name_;
  const FunctionBody body_;
  bool dropped_ = false;
};

}  // namespace sluice::front_internal
