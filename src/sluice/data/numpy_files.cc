#include "sluice/data/numpy_files.h"

#include "sluice/io/npy.h"

namespace sluice::data::data_internal {

Element ReadNpyFiles(const std::vector<std::string>& paths) {
  Element tensors;
  for (const std::string& path : paths) tensors.push_back(io::read_npy(path));
  return tensors;
}

Element ReadNpzMembers(const std::string& path,
                       const std::vector<std::string>& names) {
  StateDict all = io::read_npz(path);
  Element tensors;
  for (const std::string& name : names) tensors.push_back(all.at(name));
  return tensors;
}

}  // namespace sluice::data::data_internal
