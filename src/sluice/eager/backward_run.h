// BackwardRun: the backward run that is under way on this thread, for calls of
// a function being recorded: which of what flows into them comes from where
// only a run knows depends on what it began at.
//
// On the stack of the engine (eager/backward.cc); the innermost one is current.
#pragma once

#include <memory>
#include <span>

#include "sluice/eager/eager_value.h"

namespace sluice {

class BackwardRun {
 public:
  explicit BackwardRun(std::span<const EagerRef> roots);
  ~BackwardRun();
  BackwardRun(const BackwardRun&) = delete;
  BackwardRun& operator=(const BackwardRun&) = delete;

  // Null when none is.
  static BackwardRun* Current();

  std::span<const EagerRef> roots() const { return roots_; }
  // What has been found out for this run, by whoever records.
  std::shared_ptr<void> notes{};

 private:
  const std::span<const EagerRef> roots_;
  BackwardRun* const outer_;
};

}  // namespace sluice
