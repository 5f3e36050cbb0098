#include "sluice/data/find_file.h"

#include <cstdlib>
#include <filesystem>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice::data {

namespace fs = std::filesystem;

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
    for (fs::path at = fs::current_path(ignored); !at.empty();
         at = at.parent_path()) {
      places.push_back(at / "data" / folder);
      if (at == at.root_path()) break;
    }
#ifdef SLUICE_SOURCE_DATA
    places.push_back(fs::path(SLUICE_SOURCE_DATA) / folder);
#endif
#ifdef SLUICE_INSTALLED_DATA
    places.push_back(fs::path(SLUICE_INSTALLED_DATA) / folder);
#endif
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
