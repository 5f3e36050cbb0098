// IDX: arrays as the MNIST digits are published: two zero bytes, a type, the
// number of axes, their sizes as u32, then the numbers, all big-endian. Also
// packed by gzip.
#pragma once

#include "sluice/data/dataset.h"

namespace sluice::data {

// The array of a file. Throws sluice::Error: the file, the byte, got, wanted.
Tensor read_idx(const std::string& path);

// Axis 0 of each file counts the elements: images and labels.
template <class... Paths>
  requires(std::is_convertible_v<Paths, std::string> && ...)
Dataset<sizeof...(Paths)> idx(const Paths&... paths) {
  return Dataset<sizeof...(Paths)>(TensorSource({read_idx(paths)...}, "idx"));
}

// The same for bytes in memory; `what` names them in messages.
Result<Array> ParseIdx(std::string_view bytes, const std::string& what);

}  // namespace sluice::data
