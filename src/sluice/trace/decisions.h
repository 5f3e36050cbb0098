// Decisions: for a function being recorded (trace/capture.h) whose code does
// not become one graph for all values, the branches taken and the iterations
// run with the values of the recorded call. The recording is valid for calls in
// which every decision comes out the same; a separate program checks this
// before the call has any effect.
//
// Lives on the stack of the recording function; one thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sluice/tensor/array.h"
#include "sluice/trace/capture.h"

namespace sluice {

class LocalMaster;

class Decisions {
 public:
  struct One {
    Value value;
    Array then;
    SourceLine line;
  };

  // `branches`: values decide branches and loops of converted code too, not
  // only what Python asks of numbers passed as arguments. `constructs`: they
  // also decide cond and while_loop.
  Decisions(Capture& capture, bool branches, bool constructs);
  ~Decisions();
  Decisions(const Decisions&) = delete;
  Decisions& operator=(const Decisions&) = delete;

  // Null where values decide nothing: no recording asks for it, or the code of
  // a region is being recorded, which may run any number of times.
  static Decisions* Here();
  static Decisions* OfBranches();
  static Decisions* OfConstructs();

  // The elements of a tensor in the recorded call. Nothing if they cannot be
  // known before the call runs, because they depend on random numbers or on
  // state, or if there have been too many decisions.
  std::optional<Array> Decide(const Tensor& tensor, const SourceLine& line);

  const std::vector<One>& made() const { return made_; }

 private:
  Capture& capture_;
  const bool branches_, constructs_;
  Decisions* outer_;
  std::unique_ptr<LocalMaster> master_;
  std::vector<One> made_;
};

}  // namespace sluice
