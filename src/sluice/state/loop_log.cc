#include "sluice/state/loop_log.h"

#include <algorithm>

#include "sluice/base/strings.h"

namespace sluice {

LoopLog::Entry& LoopLog::Find(const std::string& loop,
                              const std::string& line) {
  for (Entry& entry : loops_) {
    if (entry.use.name == loop) return entry;
  }
  Entry& entry = loops_.emplace_back();
  entry.use.name = loop;
  entry.use.line = line;
  return entry;
}

void LoopLog::Trip(const std::string& loop, const std::string& line, bool again,
                   int64_t bytes) {
  MutexLock lock(mu_);
  LoopUse& use = Find(loop, line).use;
  (again ? use.recomputed : use.iterations) += 1;
  use.peak_bytes = std::max(use.peak_bytes, bytes);
}

void LoopLog::End(const std::string& loop, const std::string& line, bool again,
                  int64_t bytes) {
  MutexLock lock(mu_);
  Entry& entry = Find(loop, line);
  if (again) {
    entry.again_bytes = std::max(entry.again_bytes, bytes);
    return;
  }
  entry.use.runs += 1;
  entry.use.kept_bytes += bytes;
}

std::vector<LoopUse> LoopLog::loops() const {
  MutexLock lock(mu_);
  std::vector<LoopUse> loops;
  for (const Entry& entry : loops_) {
    LoopUse& use = loops.emplace_back(entry.use);
    // Notes arrive in any order; bytes of repetitions are counted in addition.
    use.peak_bytes =
        std::max(use.peak_bytes, use.kept_bytes + entry.again_bytes);
  }
  return loops;
}

std::string ToString(const std::vector<LoopUse>& loops) {
  std::string out;
  for (const LoopUse& use : loops) {
    StrAppend(out, use.name);
    if (!use.line.empty()) StrAppend(out, " at ", use.line);
    StrAppend(out, ": ", use.iterations, " iterations");
    if (use.runs != 1) StrAppend(out, " in ", use.runs, " runs");
    StrAppend(out, ", ", use.recomputed, " recomputed, ", use.kept_bytes,
              " bytes kept, ", use.peak_bytes, " at most\n");
  }
  return out;
}

}  // namespace sluice
