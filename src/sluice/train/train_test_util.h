// A small problem to train on, and a folder that goes with its test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sluice/sluice.h"

namespace sluice::train {

// Which of three corners points are nearest to; with dropout, so that random
// numbers matter.
struct CornerNet : nn::Module {
  CornerNet() { add("fc1", fc1), add("drop", drop), add("fc2", fc2); }
  Tensor forward(Tensor x) override { return fc2(drop(relu(fc1(x)))); }
  nn::Linear fc1{2, 16};
  nn::Dropout drop{0.2};
  nn::Linear fc2{16, 3};
};

inline data::Dataset<2> Corners(int64_t count = 96) {
  std::vector<float> points;
  std::vector<int64_t> corner;
  for (int64_t i = 0; i < count; ++i) {
    float angle = static_cast<float>(i) * 2.3998f;
    float x = std::cos(angle), y = std::sin(angle);
    points.insert(points.end(), {x, y});
    corner.push_back(x > 0.5f ? 0 : y > 0 ? 1 : 2);
  }
  return data::from_tensors(reshape(constant(points), {count, 2}),
                            constant(corner));
}

inline Trainer::LossFn CornerLoss(CornerNet& net) {
  return [&net](const Trainer::Batch& batch) {
    return cross_entropy(net(batch[0]), batch[1]);
  };
}

class TestFolder {
 public:
  TestFolder() {
    char name[] = "/tmp/sluice-train-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace sluice::train
