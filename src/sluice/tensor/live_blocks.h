// Attributes the memory in use to lines of the user's program; shown in
// messages when memory runs out.
//
// AllocatesFor declares on whose behalf a thread allocates while the object
// lives. An allocator with records notes it with each block, in a LiveBlocks or
// in records of its own, and reports the live ones through TellsLive. Thread
// safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/source_line.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/tensor/allocator.h"

namespace sluice {

// An op of the user's program, and its line. `op` lives as long as the process,
// as the registry's names do; empty: no op, for example for fed arrays.
struct AllocationSite {
  std::string_view op;
  SourceLine line;
};

// On the stack; the innermost one counts.
class [[nodiscard]] AllocatesFor {
 public:
  // Both must stay valid and unchanged for the object's lifetime.
  AllocatesFor(const std::string& op, const SourceLine& line)
      : op_(op), line_(line), outer_(current_) {
    current_ = this;
  }
  ~AllocatesFor() { current_ = outer_; }
  AllocatesFor(const AllocatesFor&) = delete;
  AllocatesFor& operator=(const AllocatesFor&) = delete;
  static AllocationSite Current() {
    return current_ ? AllocationSite{current_->op_, current_->line_}
                    : AllocationSite();
  }

 private:
  static constinit thread_local const AllocatesFor* current_;
  const std::string& op_;
  const SourceLine& line_;
  const AllocatesFor* const outer_;
};

// Live blocks of one site.
struct LiveGroup {
  AllocationSite site;
  int64_t bytes = 0;
  int64_t blocks = 0;
};

// Interface of an allocator that can report its live blocks.
class TellsLive {
 public:
  struct Live {
    std::vector<LiveGroup> groups;  // in any order, sites may repeat
    int64_t limit = 0;
  };
  virtual Live TellLive() const = 0;
  // The limit of its bytes in use; INT64_MAX: none.
  virtual int64_t limit() const = 0;

 protected:
  ~TellsLive() = default;
};

// Merges groups of the same site and sorts them by decreasing bytes.
std::vector<LiveGroup> Merged(std::vector<LiveGroup> groups);

// "out of memory on /device:sim:0: wanted 4 MiB (4194304 bytes), 12 MiB of 14
// MiB are in use", followed by the users of that memory, if the allocator can
// report them.
std::string OutOfMemoryText(const Allocator& allocator, int64_t wanted);

// Records for an allocator that has none of its own.
class LiveBlocks {
 public:
  struct Entry {
    int64_t bytes = 0;
    AllocationSite site;
    void* record = nullptr;  // the owner's
    Entry *before = nullptr, *after = nullptr;
  };
  // Adds a block for the current site. Null: no memory for the entry.
  Entry* Add(int64_t bytes, void* record = nullptr) SL_EXCLUDES(mu_);
  void Remove(Entry* entry) SL_EXCLUDES(mu_);
  std::vector<LiveGroup> Groups() const SL_EXCLUDES(mu_);
  // Around a fork, which copies the lock but not a thread that holds it.
  void BeforeFork() SL_NO_THREAD_SAFETY_ANALYSIS { mu_.lock(); }
  void AfterFork() SL_NO_THREAD_SAFETY_ANALYSIS { mu_.unlock(); }

 private:
  mutable Mutex mu_;
  Entry* first_ SL_GUARDED_BY(mu_) = nullptr;
};

}  // namespace sluice
