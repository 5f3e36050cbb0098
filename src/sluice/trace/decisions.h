// Decisions: what a function being recorded (trace/capture.h) takes from the
// values of the very call it is recorded for, where its code would not become
// one graph for all values: which way a branch goes, whether a loop goes on.
// The recording serves the calls in which all of this comes out the same. A
// program of its own finds that out before anything happens.
//
// On the stack of whoever records; one thread.
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

  // `branches`: they decide branches and loops, too, not only what Python asks
  // of numbers it was given. `constructs`: even cond and while_loop.
  Decisions(Capture& capture, bool branches, bool constructs);
  ~Decisions();
  Decisions(const Decisions&) = delete;
  Decisions& operator=(const Decisions&) = delete;

  // Null where values decide nothing: no recording that wants it is open, or
  // code of a region is recorded, which may run any number of times.
  static Decisions* Here();
  static Decisions* OfBranches();
  static Decisions* OfConstructs();

  // The elements of a tensor in the call being recorded. Nothing when they
  // cannot be known before the call runs: random numbers, and what is read of
  // state, are among what they are made of; or when there were too many.
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
