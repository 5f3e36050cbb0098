#include "sluice/session/loop_report.h"

#include <algorithm>
#include <utility>

namespace sluice {

namespace {

LoopReport*& Open() {
  thread_local LoopReport* open = nullptr;
  return open;
}

}  // namespace

LoopReport::LoopReport() : outer_(std::exchange(Open(), this)) {}
LoopReport::~LoopReport() { Open() = outer_; }

LoopReport* LoopReport::Current() { return Open(); }

const LoopUse* LoopReport::find(std::string_view name) const {
  for (const LoopUse& use : loops_) {
    if (use.name == name) return &use;
  }
  return nullptr;
}

void LoopReport::Add(const std::vector<LoopUse>& loops) {
  for (const LoopUse& use : loops) {
    auto it = std::find_if(
        loops_.begin(), loops_.end(),
        [&](const LoopUse& known) { return known.name == use.name; });
    if (it == loops_.end()) {
      loops_.push_back(use);
      continue;
    }
    it->runs += use.runs;
    it->iterations += use.iterations;
    it->recomputed += use.recomputed;
    it->kept_bytes += use.kept_bytes;
    it->peak_bytes = std::max(it->peak_bytes, use.peak_bytes);
  }
}

}  // namespace sluice
