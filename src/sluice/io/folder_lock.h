// FolderLock: only one writes into a folder of checkpoints at a time, be it a
// thread, a process, or another program. Held while the object lives; the
// system lets go of it when the process ends, however it ends.
//
// The lock is on the folder itself and leaves no file. Where the file system
// has no such locks nothing is locked. For one thread.
#pragma once

#include <memory>
#include <string>

#include "sluice/base/status.h"

namespace sluice::io {

class FolderLock {
 public:
  // Waits up to `wait_ms` for others to let go. FailedPrecondition then says
  // who holds it. REQUIRES: the folder exists.
  static Result<std::unique_ptr<FolderLock>> Take(const std::string& folder,
                                                  int64_t wait_ms);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  explicit FolderLock(int file) : file_(file) {}
  const int file_;
};

}  // namespace sluice::io
