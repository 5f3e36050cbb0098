// Layers that move elements about: Flatten, Unflatten, Upsample.
#pragma once

#include <optional>

#include "sluice/nn/module.h"
#include "sluice/nn/per_axis.h"

namespace sluice::nn {

// Axes from start_dim to end_dim as one.
class Flatten : public Module {
 public:
  explicit Flatten(int start_dim = 1, int end_dim = -1)
      : start_(start_dim), end_(end_dim) {}
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

 private:
  int start_, end_;
};

// One axis as several; one of the sizes may be -1.
class Unflatten : public Module {
 public:
  Unflatten(int dim, std::vector<int64_t> sizes)
      : dim_(dim), sizes_(std::move(sizes)) {}
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

 private:
  int dim_;
  std::vector<int64_t> sizes_;
};

// Larger or smaller images [batch, channels, height, width].
struct UpsampleOptions {
  std::optional<PerAxis> size{};  // or
  double scale_factor = 0;
  std::string mode = "nearest";  // or bilinear
  bool align_corners = false;
};

class Upsample : public Module {
 public:
  explicit Upsample(const UpsampleOptions& options,
                    Where where = Where::current());
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

 private:
  UpsampleOptions options_;
};

}  // namespace sluice::nn
