// Batch normalisation: every channel (axis 1) with its mean taken off and
// divided by its standard deviation, then times weight plus bias.
//
// In training with the statistics of the batch, which also move the running
// ones: running = (1 - momentum) running + momentum batch (the variance there
// divided by one less than the count). In eval() with the running ones.
#pragma once

#include <optional>

#include "sluice/nn/module.h"

namespace sluice::nn {

struct BatchNormOptions {
  double eps = 1e-5;
  // None: the running statistics are averages over all batches.
  std::optional<double> momentum = 0.1;
  bool affine = true;  // with weight and bias
  // Without running statistics those of the batch serve in eval() as well.
  bool track_running_stats = true;
  DType dtype = DType::kF32;
};

// What batches seen in training leave behind.
struct RunningStats {
  Tensor mean, var;            // [channels]
  Tensor num_batches_tracked;  // i64; holds nothing: not counted
};
// Moves them by the statistics of a batch x, whose variance is divided by its
// count. A momentum of none is one share of all batches, which are counted. A
// batch without samples is counted and moves nothing.
void TrackBatch(const RunningStats& running, std::optional<double> momentum,
                const Tensor& x, const Tensor& mean, const Tensor& variance,
                std::source_location where = std::source_location::current());

// Moves them by the means over the batch of what each sample's channels have.
void TrackInstances(
    const RunningStats& running, double momentum, const Tensor& x,
    std::source_location where = std::source_location::current());

class BatchNorm : public Module {
 public:
  Tensor forward(Tensor x) override;
  std::string extra_repr() const override;
  // Means 0, variances 1, no batches.
  void reset_running_stats();

  Tensor weight, bias;               // [num_features]; hold nothing without
  Tensor running_mean, running_var;  // [num_features]; hold nothing without
  Tensor num_batches_tracked;        // i64

 protected:
  BatchNorm(std::string_view type, int min_rank, int max_rank,
            int64_t num_features, const BatchNormOptions& options, Where where);

 private:
  int min_rank_, max_rank_;
  int64_t num_features_;
  BatchNormOptions options_;
  Tensor scale_, offset_;  // ones and zeros where there is no weight
};

class BatchNorm1d : public BatchNorm {  // [batch, channels(, length)]
 public:
  BatchNorm1d(int64_t num_features, const BatchNormOptions& options = {},
              Where where = Where::current())
      : BatchNorm("BatchNorm1d", 2, 3, num_features, options, where) {}
};
class BatchNorm2d : public BatchNorm {
 public:
  BatchNorm2d(int64_t num_features, const BatchNormOptions& options = {},
              Where where = Where::current())
      : BatchNorm("BatchNorm2d", 4, 4, num_features, options, where) {}
};
class BatchNorm3d : public BatchNorm {
 public:
  BatchNorm3d(int64_t num_features, const BatchNormOptions& options = {},
              Where where = Where::current())
      : BatchNorm("BatchNorm3d", 5, 5, num_features, options, where) {}
};

}  // namespace sluice::nn
