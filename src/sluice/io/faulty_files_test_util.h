// FaultyFiles: the machine's files, with a fault at the n-th change.
#pragma once

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <string>

#include "sluice/base/file_system.h"
#include "sluice/base/system_error.h"

namespace sluice {

class FaultyFiles : public FileSystem {
 public:
  enum class Fault {
    kNone,
    kCrash,      // from there on nothing is written
    kTorn,       // the same, after half of what was to be written
    kPowerLoss,  // the same, and half of what was not synced is gone
    kFull,       // that one fails: no space is left
    kTornKill,   // the process is killed, after half of what was to be written
  };

  FaultyFiles(Fault fault, int at) : fault_(fault), at_(at) {
    FileSystem::SetCurrent(this);
  }
  ~FaultyFiles() override {
    FileSystem::SetCurrent(nullptr);
    for (auto& [file, copy] : unsynced_) close(copy);
  }

  // The number of changes so far, and whether the fault has occurred.
  int count() const { return count_; }
  bool struck() const { return struck_; }

  Result<int> Create(const std::string& path) override {
    SL_RETURN_IF_ERROR(Next(path, true));
    SL_ASSIGN_OR_RETURN(int file, FileSystem::Create(path));
    unsynced_[file] = dup(file);
    return file;
  }
  Status Write(int file, const std::string& path,
               std::string_view bytes) override {
    bool torn = fault_ == Fault::kTorn || fault_ == Fault::kTornKill;
    if (torn && count_ == at_) {
      SL_RETURN_IF_ERROR(
          FileSystem::Write(file, path, bytes.substr(0, bytes.size() / 2)));
    }
    SL_RETURN_IF_ERROR(Next(path, true));
    return FileSystem::Write(file, path, bytes);
  }
  // What a test can see needs no real sync, which would take most of its time.
  Status Sync(int file, const std::string& path) override {
    SL_RETURN_IF_ERROR(Next(path, true));
    auto at = unsynced_.find(file);
    if (at != unsynced_.end()) {
      close(at->second);
      unsynced_.erase(at);
    }
    return OkStatus();
  }
  Status SyncFolder(const std::string& path) override {
    return Next(path, false);
  }
  Status MakeFolder(const std::string& path) override {
    SL_RETURN_IF_ERROR(Next(path, true));
    return FileSystem::MakeFolder(path);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    SL_RETURN_IF_ERROR(Next(to, true));
    return FileSystem::Rename(from, to);
  }
  Status RemoveFile(const std::string& path) override {
    SL_RETURN_IF_ERROR(Next(path, false));
    return FileSystem::RemoveFile(path);
  }
  Status RemoveFolder(const std::string& path) override {
    SL_RETURN_IF_ERROR(Next(path, false));
    return FileSystem::RemoveFolder(path);
  }

 private:
  Status Next(const std::string& path, bool needs_space) {
    int now = count_++;
    if (fault_ == Fault::kFull) {
      if (now != at_ || !needs_space) return OkStatus();
      struck_ = true;
      return SystemError("write", path, ENOSPC);
    }
    if (fault_ == Fault::kNone || now < at_) return OkStatus();
    if (fault_ == Fault::kTornKill) kill(getpid(), SIGKILL);
    if (!struck_ && fault_ == Fault::kPowerLoss) {
      for (auto& [file, copy] : unsynced_) {
        struct stat info;
        if (fstat(copy, &info) == 0) (void)!ftruncate(copy, info.st_size / 2);
      }
    }
    struck_ = true;
    return Aborted("the machine has stopped");
  }

  const Fault fault_;
  const int at_;
  int count_ = 0;
  bool struck_ = false;
  std::map<int, int> unsynced_;  // to a handle of our own, for later
};

}  // namespace sluice
