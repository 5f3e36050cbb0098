#include "sluice/base/positioned_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "sluice/base/strings.h"
#include "sluice/base/system_error.h"

namespace sluice {

Result<std::unique_ptr<PositionedFile>> PositionedFile::Open(
    const std::string& path) {
  SL_RETURN_IF_ERROR(CheckPath(path));
  // Opening a pipe would otherwise wait for a writer.
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return SystemError("read", path, errno);
  struct stat info;
  int error = fstat(file, &info) == 0 ? 0 : errno;
  if (error == 0 && S_ISREG(info.st_mode)) {
    return std::unique_ptr<PositionedFile>(
        new PositionedFile(path, file, static_cast<int64_t>(info.st_size)));
  }
  close(file);
  if (error) return SystemError("read", path, error);
  return InvalidArgument(
      StrCat("cannot read \"", EscapeString(path), "\": it is ",
             S_ISDIR(info.st_mode) ? "a directory" : "no plain file"));
}

PositionedFile::~PositionedFile() { close(file_); }

Status PositionedFile::ReadAt(int64_t offset, int64_t n, void* to) const {
  char* next = static_cast<char*>(to);
  while (n > 0) {
    auto piece = static_cast<size_t>(std::min<int64_t>(n, 1 << 30));
    ssize_t got = pread(file_, next, piece, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read", path_, errno);
    if (got == 0) {
      return DataLoss(StrCat("\"", EscapeString(path_), "\" ends at byte ",
                             offset, "; wanted ", n, " more"));
    }
    next += got;
    offset += got;
    n -= got;
  }
  return OkStatus();
}

}  // namespace sluice
