#include "sluice/data/find_file.h"

#include <cstdlib>
#include <filesystem>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice::data {

namespace fs = std::filesystem;

namespace {

// data/FOLDER there and above.
void AddUpwards(fs::path at, std::string_view folder,
                std::vector<fs::path>& places) {
  for (; !at.empty(); at = at.parent_path()) {
    places.push_back(at / "data" / folder);
    if (at == at.root_path()) return;
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
    if (!program.empty()) {
      fs::path bin = program.parent_path();
      places.push_back(bin.parent_path() / "share" / "sluice" / folder);
      AddUpwards(bin, folder, places);
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
