// Normalisation within each sample: LayerNorm and RMSNorm over the last axes,
// GroupNorm and InstanceNorm over channels of images [batch, channels, ...].
// BatchNorm is in nn/batch_norm.h.
#pragma once

#include <optional>

#include "sluice/nn/module.h"
#include "sluice/nn/per_axis.h"

namespace sluice::nn {

struct LayerNormOptions {
  double eps = 1e-5;
  bool elementwise_affine = true;  // with weight and bias
  bool bias = true;
  DType dtype = DType::kF32;
};

class LayerNorm : public Module {
 public:
  // The sizes of the last axes: 512, or {3, 5}.
  LayerNorm(const PerAxis& normalized_shape,
            const LayerNormOptions& options = {},
            Where where = Where::current());
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

  Tensor weight, bias;  // of the normalized shape; hold nothing without

 private:
  PerAxis shape_;
  LayerNormOptions options_;
  Tensor scale_, offset_;  // ones and zeros where there is no weight
};

struct RMSNormOptions {
  std::optional<double> eps{};  // none: the distance of 1 to the next number
  bool elementwise_affine = true;
  DType dtype = DType::kF32;
};

class RMSNorm : public Module {
 public:
  RMSNorm(const PerAxis& normalized_shape, const RMSNormOptions& options = {},
          Where where = Where::current());
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

  Tensor weight;

 private:
  PerAxis shape_;
  RMSNormOptions options_;
  double eps_;
  Tensor scale_;
};

struct GroupNormOptions {
  double eps = 1e-5;
  bool affine = true;
  DType dtype = DType::kF32;
};

class GroupNorm : public Module {
 public:
  GroupNorm(int64_t num_groups, int64_t num_channels,
            const GroupNormOptions& options = {},
            Where where = Where::current());
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

  Tensor weight, bias;  // [num_channels]; hold nothing without

 private:
  int64_t groups_, channels_;
  GroupNormOptions options_;
  Tensor scale_, offset_;
};

struct InstanceNormOptions {
  double eps = 1e-5;
  bool affine = false;
  DType dtype = DType::kF32;
};

class InstanceNorm : public Module {
 public:
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;

  Tensor weight, bias;  // [num_features]; hold nothing without

 protected:
  InstanceNorm(std::string_view type, int axes, int64_t num_features,
               const InstanceNormOptions& options, Where where);

 private:
  int axes_;
  int64_t features_;
  InstanceNormOptions options_;
  Tensor scale_, offset_;
};

class InstanceNorm1d : public InstanceNorm {
 public:
  InstanceNorm1d(int64_t num_features, const InstanceNormOptions& options = {},
                 Where where = Where::current())
      : InstanceNorm("InstanceNorm1d", 1, num_features, options, where) {}
};
class InstanceNorm2d : public InstanceNorm {
 public:
  InstanceNorm2d(int64_t num_features, const InstanceNormOptions& options = {},
                 Where where = Where::current())
      : InstanceNorm("InstanceNorm2d", 2, num_features, options, where) {}
};
class InstanceNorm3d : public InstanceNorm {
 public:
  InstanceNorm3d(int64_t num_features, const InstanceNormOptions& options = {},
                 Where where = Where::current())
      : InstanceNorm("InstanceNorm3d", 3, num_features, options, where) {}
};

}  // namespace sluice::nn
