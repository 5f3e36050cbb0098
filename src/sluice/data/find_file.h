// Where data files lie that come with the project, or are put beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::data {

// The path of the first of `names` found in `dir` or, when that is empty, in
// $SLUICE_DATA and its folder of that name, in data/FOLDER of the working
// folder and of those above it, and the same from where the program lies. What
// is installed lies in share/sluice/FOLDER: above the program, above the
// library or the Python package, in /usr/local and in /usr. Throws
// sluice::Error that lists where it looked.
std::string find_file(std::string_view folder,
                      const std::vector<std::string>& names,
                      const std::string& dir = {});

}  // namespace sluice::data
