// Arrays of NumPy files as elements: axis 0 counts them.
//
//   data::npy("images.npy", "labels.npy")
//   data::npz("all.npz", "images", "labels")        // members of one file
#pragma once

#include "sluice/data/dataset.h"

namespace sluice::data {

namespace data_internal {
Element ReadNpyFiles(const std::vector<std::string>& paths);
Element ReadNpzMembers(const std::string& path,
                       const std::vector<std::string>& names);
}  // namespace data_internal

template <class... Paths>
  requires(std::is_convertible_v<Paths, std::string> && ...)
Dataset<sizeof...(Paths)> npy(const Paths&... paths) {
  return Dataset<sizeof...(Paths)>(
      TensorSource(data_internal::ReadNpyFiles({paths...}), "npy"));
}

template <class... Names>
  requires(std::is_convertible_v<Names, std::string> && ...)
Dataset<sizeof...(Names)> npz(const std::string& path, const Names&... names) {
  return Dataset<sizeof...(Names)>(
      TensorSource(data_internal::ReadNpzMembers(path, {names...}), "npz"));
}

}  // namespace sluice::data
