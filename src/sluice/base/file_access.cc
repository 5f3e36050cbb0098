#include "sluice/base/file_access.h"

#include <filesystem>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

namespace fs = std::filesystem;

struct Allowed {
  bool confined = false;
  std::vector<std::string> folders;  // each ends with a slash
};

Allowed& TheAllowed() {
  static Allowed* allowed = new Allowed;
  return *allowed;
}

// Resolves links; the part that does not exist yet is used as written.
std::string Real(const std::string& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? std::string() : real.string();
}

}  // namespace

void FileAccess::Confine(const std::vector<std::string>& folders) {
  Allowed& allowed = TheAllowed();
  allowed.confined = true;
  for (const std::string& folder : folders) {
    std::string real = Real(folder);
    if (real.empty()) continue;
    if (real.back() != '/') real += '/';
    allowed.folders.push_back(std::move(real));
  }
}

Status FileAccess::Check(const std::string& path) {
  const Allowed& allowed = TheAllowed();
  if (!allowed.confined) return OkStatus();
  std::string real = Real(path);
  for (const std::string& folder : allowed.folders) {
    if (real.starts_with(folder) || real + "/" == folder) return OkStatus();
  }
  return FailedPrecondition(
      StrCat("\"", path, "\" may not be touched by graphs of this server",
             allowed.folders.empty()
                 ? ", which was given no folder for files (--files)"
                 : StrCat("; its folders are ", Join(allowed.folders, ", "))));
}

}  // namespace sluice
