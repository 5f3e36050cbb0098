#include "sluice/data/find_file.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice::data {

namespace fs = std::filesystem;

namespace {

// data/FOLDER in `at` and its parents.
void AddUpwards(fs::path at, std::string_view folder,
                std::vector<fs::path>& places) {
  for (; !at.empty(); at = at.parent_path()) {
    places.push_back(at / "data" / folder);
    if (at == at.root_path()) return;
  }
}

// share/sluice/FOLDER in `at` and its parents: of an installation.
void AddShares(fs::path at, std::string_view folder,
               std::vector<fs::path>& places) {
  for (; !at.empty(); at = at.parent_path()) {
    places.push_back(at / "share" / "sluice" / folder);
    if (at == at.root_path()) return;
  }
}

// The library, program or Python module that contains this code.
fs::path OwnFile() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&OwnFile), &info) == 0) return {};
  std::error_code ignored;
  return fs::absolute(info.dli_fname ? info.dli_fname : "", ignored);
}

void AddOnce(std::vector<fs::path> found, std::vector<fs::path>& places) {
  for (fs::path& place : found) {
    if (std::find(places.begin(), places.end(), place) == places.end()) {
      places.push_back(std::move(place));
    }
  }
}

}  // namespace

std::string find_file(std::string_view folder,
                      const std::vector<std::string>& names,
                      const std::string& dir) {
  std::vector<fs::path> places;
  if (!dir.empty()) {
    places = {dir};
  } else {
    if (const char* env = std::getenv("SLUICE_DATA"); env && *env) {
      places = {fs::path(env), fs::path(env) / folder};
    }
    std::error_code ignored;
    AddUpwards(fs::current_path(ignored), folder, places);
    fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    std::vector<fs::path> installed;
    for (const fs::path& file : {program, OwnFile()}) {
      if (!file.empty()) AddShares(file.parent_path(), folder, installed);
    }
    for (const char* prefix : {"/usr/local", "/usr"}) {
      installed.push_back(fs::path(prefix) / "share" / "sluice" / folder);
    }
    AddOnce(std::move(installed), places);
    if (!program.empty()) {
      std::vector<fs::path> above;
      AddUpwards(program.parent_path(), folder, above);
      AddOnce(std::move(above), places);
    }
  }
  std::error_code ignored;
  std::string looked;
  for (const fs::path& place : places) {
    for (const std::string& name : names) {
      fs::path path = place / name;
      if (fs::is_regular_file(path, ignored)) return path.string();
    }
    StrAppend(looked, looked.empty() ? "" : ", ", place.string());
  }
  throw Error(NotFound(StrCat("[", folder, "] no file ", Join(names, " or "),
                              " in ", looked,
                              "; wanted it there, or $SLUICE_DATA to say "
                              "where")));
}

}  // namespace sluice::data
