#include "sluice/report/folders.h"

#include <filesystem>

#include "sluice/base/strings.h"

namespace sluice::report {

Status MakeFolders(const std::string& path) {
  // A zero byte would silently make it another, shorter path.
  if (path.empty() || path.find('\0') != std::string::npos) {
    return InvalidArgument(
        StrCat("path is \"", EscapeString(path), "\"; wanted a folder's name"));
  }
  std::error_code error;
  std::filesystem::create_directories(path, error);
  // Some libraries report no error where a file of that name is in the way.
  if (!error && !std::filesystem::is_directory(path, error) && !error) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (!error) return OkStatus();
  return FailedPrecondition(StrCat("cannot make the folder \"",
                                   EscapeString(path),
                                   "\": ", error.message()));
}

Status MakeFoldersFor(const std::string& file) {
  std::string folder = std::filesystem::path(file).parent_path().string();
  return folder.empty() ? OkStatus() : MakeFolders(folder);
}

}  // namespace sluice::report
