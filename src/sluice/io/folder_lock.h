// FolderLock: allows one writer at a time in a folder of checkpoints, among
// threads, processes and programs. Held while the object lives; the system
// releases it when the process ends in any way.
//
// The lock is on the folder itself and leaves no file. Without support by the
// file system nothing is locked. For one thread.
#pragma once

#include <memory>
#include <string>

#include "sluice/base/status.h"

namespace sluice::io {

class FolderLock {
 public:
  // Waits up to `wait_ms` for the lock. FailedPrecondition names the holder.
  // REQUIRES: the folder exists.
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
