// LoopLog: collects the loop statistics of one run (NoteLoop). It is fed to the
// run as a resource and read after the run.
//
// Reference counted. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/op/loop_use.h"
#include "sluice/tensor/resource_base.h"

namespace sluice {

class LoopLog final : public ResourceBase {
 public:
  // An iteration begins; the loop keeps `bytes` so far. With `again`, the loop
  // repeats another one and counts for that one.
  void Trip(const std::string& loop, const std::string& line, bool again,
            int64_t bytes);
  // A loop has ended and keeps `bytes`.
  void End(const std::string& loop, const std::string& line, bool again,
           int64_t bytes);

  std::vector<LoopUse> loops() const;  // in the order they began

  std::string Describe() const override { return "log of loops"; }
  const void* tag() const override { return kKind; }
  static constexpr char kKind[] = "loop log";

 private:
  struct Entry {
    LoopUse use;
    int64_t again_bytes = 0;  // the most that a repetition of it kept
  };

  Entry& Find(const std::string& loop, const std::string& line)
      SL_REQUIRES(mu_);

  mutable Mutex mu_;
  std::vector<Entry> loops_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
