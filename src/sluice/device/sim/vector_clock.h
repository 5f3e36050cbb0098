// VectorClock: the known progress of all participants: for each one the number
// of its latest step that came before.
//
// A plain value. Participants are small numbers; missing ones are at 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice {

class VectorClock {
 public:
  uint64_t operator[](int who) const {
    auto i = static_cast<size_t>(who);
    return i < steps_.size() ? steps_[i] : 0;
  }
  void Tick(int who) {
    auto i = static_cast<size_t>(who);
    if (i >= steps_.size()) steps_.resize(i + 1);
    ++steps_[i];
  }
  void Join(const VectorClock& other) {
    if (other.steps_.size() > steps_.size()) {
      steps_.resize(other.steps_.size());
    }
    for (size_t i = 0; i < other.steps_.size(); ++i) {
      steps_[i] = std::max(steps_[i], other.steps_[i]);
    }
  }

 private:
  std::vector<uint64_t> steps_;
};

}  // namespace sluice
