#include "sluice/eager/backward_run.h"

namespace sluice {

namespace {

constinit thread_local BackwardRun* current = nullptr;

}  // namespace

BackwardRun::BackwardRun(std::span<const EagerRef> roots)
    : roots_(roots), outer_(current) {
  current = this;
}

BackwardRun::~BackwardRun() { current = outer_; }

BackwardRun* BackwardRun::Current() { return current; }

}  // namespace sluice
