// The MNIST digits: 28 x 28 pixels in 0..1 as f32, and the digit as i64.
//
//   auto digits = data::mnist("train").shuffle(10000).batch(64);
//   for (auto& [images, labels] : digits) ...
//
// The files (train-images-idx3-ubyte.gz and so on, gzip or not) are looked for
// in `dir`, or where find_file looks (data/find_file.h): the project comes with
// a subset of 10,000 digits.
#pragma once

#include "sluice/data/dataset.h"

namespace sluice::data {

struct MnistOptions {
  std::string dir{};
  bool flat = true;  // images as [784]; else [1, 28, 28]
};

// `split`: "train" or "test". Throws sluice::Error.
Dataset<2> mnist(const std::string& split, const MnistOptions& options = {});
inline Dataset<2> mnist(const std::string& split, const std::string& dir) {
  return mnist(split, MnistOptions{.dir = dir});
}

}  // namespace sluice::data
