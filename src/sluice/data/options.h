// Options of the stages of a pipeline (data/dataset.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::data {

struct MapOptions {
  // That many threads call the function, several elements at a time; elements
  // come out in order all the same. 0: the thread that asks for them does.
  int threads = 0;
  // Of the data::Random some functions take.
  uint64_t seed = 0;
  std::string name{};  // for messages
};

struct BatchOptions {
  bool drop_last = false;  // a last batch that is not full
};

struct PaddedBatchOptions {
  // What fills the ends of smaller tensors: a number for each component; none
  // means zeros.
  std::vector<double> padding{};
  bool drop_last = false;
};

inline constexpr int64_t kForever = -1;

}  // namespace sluice::data
