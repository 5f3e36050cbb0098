// Options of the stages of a pipeline (data/dataset.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::data {

struct MapOptions {
  // That many threads call the function, for several elements concurrently;
  // elements still come out in order. 0: the requesting thread calls it.
  int threads = 0;
  // For the data::Random that some functions take.
  uint64_t seed = 0;
  std::string name{};  // for messages
};

struct BatchOptions {
  bool drop_last = false;  // drop a last batch that is not full
};

struct PaddedBatchOptions {
  // The padding value for each component; empty means zeros.
  std::vector<double> padding{};
  bool drop_last = false;
};

inline constexpr int64_t kForever = -1;

}  // namespace sluice::data
