// LoopUse: the iterations of one loop in a run, and the memory it kept for its
// gradient.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

struct LoopUse {
  std::string name;        // of its node
  std::string line;        // "model.cc:41"
  int64_t runs = 0;        // loops inside loops run more than once
  int64_t iterations = 0;  // over all runs
  int64_t recomputed = 0;  // iterations that were run again
  int64_t kept_bytes = 0;  // at the end; over all runs
  int64_t peak_bytes = 0;  // the peak, recomputed values included
};

// One line each: "while_loop at model.cc:41: 100 iterations, 12 kept, ...".
std::string ToString(const std::vector<LoopUse>& loops);

}  // namespace sluice
