#include "sluice/base/system_error.h"

#include <cerrno>
#include <cstring>

#include "sluice/base/file_access.h"
#include "sluice/base/strings.h"

namespace sluice {

Status SystemError(std::string_view what, const std::string& path, int error) {
  std::string message = StrCat("cannot ", what, " \"", EscapeString(path),
                               "\": ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return NotFound(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return FailedPrecondition(message);
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ResourceExhausted(message);
    case EIO:
      return DataLoss(message);
    default:
      return InvalidArgument(message);
  }
}

namespace {

// Parses one line. The reason ends it, or a hint follows; the text before the
// reason is quoted, with its quotes escaped.
int NumberIn(std::string_view line) {
  size_t begin = line.find("cannot ");
  if (begin == std::string_view::npos) return 0;
  line.remove_prefix(begin);
  // Errors detected before the system is called (base/file.cc).
  if (line.find("\": it is a directory") != line.npos) return EISDIR;
  if (line.find("\": it is no plain file") != line.npos) return EINVAL;
  constexpr int kNumbers = 134;  // Linux has no higher ones
  for (int error = 1; error < kNumbers; ++error) {
    std::string reason = StrCat("\": ", std::strerror(error));
    if (line.ends_with(reason)) return error;
    if (line.find(reason + ";") != std::string_view::npos) return error;
  }
  return 0;
}

}  // namespace

int SystemErrorNumber(std::string_view message) {
  while (!message.empty()) {
    size_t end = message.find('\n');
    if (int number = NumberIn(message.substr(0, end))) return number;
    if (end == std::string_view::npos) break;
    message.remove_prefix(end + 1);
  }
  return 0;
}

Status CheckPath(const std::string& path) {
  if (!path.empty() && path.find('\0') == std::string::npos) {
    return FileAccess::Check(path);
  }
  return InvalidArgument(
      StrCat("path is \"", EscapeString(path), "\"; wanted a file's name"));
}

}  // namespace sluice
