#include "sluice/io/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/base/system_error.h"

namespace sluice::io {

namespace {

// The name of a process, "" when it cannot be told.
std::string NameOf(int64_t pid) {
  std::ifstream file(StrCat("/proc/", pid, "/comm"));
  std::string name;
  std::getline(file, name);
  return name;
}

// The process that holds a lock on that file, as the system lists it:
// "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF".
std::string Holder(int file) {
  struct stat info;
  if (fstat(file, &info) != 0) return "another process";
  std::ifstream locks("/proc/locks");
  std::string line;
  while (std::getline(locks, line)) {
    std::istringstream words(line);
    std::string number, kind, mode, access, place;
    int64_t pid = 0;
    words >> number >> kind >> mode >> access >> pid >> place;
    size_t colon = place.rfind(':');
    if (kind != "FLOCK" || colon == std::string::npos ||
        place.substr(colon + 1) != std::to_string(info.st_ino)) {
      continue;
    }
    if (pid == getpid()) return "this process itself";
    std::string name = NameOf(pid);
    return StrCat("process ", pid, name.empty() ? "" : " (", name,
                  name.empty() ? "" : ")");
  }
  return "a process of another machine or container";
}

}  // namespace

Result<std::unique_ptr<FolderLock>> FolderLock::Take(const std::string& folder,
                                                     int64_t wait_ms) {
  int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return SystemError("look into", folder, errno);
  std::unique_ptr<FolderLock> lock(new FolderLock(file));
  int64_t until = NowNanos() + wait_ms * 1'000'000;
  for (;;) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return lock;  // no locks here
    if (NowNanos() >= until) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return FailedPrecondition(StrCat("\"", EscapeString(folder),
                                   "\" is being written by ", Holder(file),
                                   "; waited ", wait_ms, " ms for it to end"));
}

FolderLock::~FolderLock() { close(file_); }

}  // namespace sluice::io
