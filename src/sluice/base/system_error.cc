#include "sluice/base/system_error.h"

#include <cerrno>
#include <cstring>

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

Status CheckPath(const std::string& path) {
  if (!path.empty() && path.find('\0') == std::string::npos) return OkStatus();
  return InvalidArgument(
      StrCat("path is \"", EscapeString(path), "\"; wanted a file's name"));
}

}  // namespace sluice
