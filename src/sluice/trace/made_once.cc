#include "sluice/trace/made_once.h"

#include <algorithm>
#include <string_view>

namespace sluice::front_internal {

namespace {

MadeOnce::Run*& CurrentRun() {
  thread_local MadeOnce::Run* current = nullptr;
  return current;
}

bool Same(const SourceLine& a, const SourceLine& b) {
  return a.line == b.line && std::string_view(a.file) == b.file;
}

}  // namespace

MadeOnce::Run::Run(std::shared_ptr<MadeOnce> owner)
    : owner_(std::move(owner)), outer_(std::exchange(CurrentRun(), this)) {}

MadeOnce::Run::~Run() { CurrentRun() = outer_; }

MadeOnce::Run* MadeOnce::Run::Current() { return CurrentRun(); }

Tensor MadeOnce::Run::Get(const SourceLine& line,
                          const std::function<Tensor()>& make) {
  auto nth = static_cast<size_t>(
      std::count_if(met_.begin(), met_.end(),
                    [&](const SourceLine& met) { return Same(met, line); }));
  met_.push_back(line);
  for (const Made& m : owner_->made_) {
    if (m.nth == nth && Same(m.line, line)) return m.tensor;
  }
  owner_->made_.push_back({line, nth, make()});
  return owner_->made_.back().tensor;
}

}  // namespace sluice::front_internal
